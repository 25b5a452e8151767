import {
  createMemoryPasskeyStore,
  testPasskeyStore,
} from "@gatehouse/web/testing";

for (const version of [null, () => 3]) {
  const create = () =>
    createMemoryPasskeyStore(version === null ? {} : { version });
  for (const { name, run } of testPasskeyStore(create, { version })) {
    const users = version === null ? "no versions" : "versions";
    Deno.test(`createMemoryPasskeyStore() with ${users}: ${name}`, run);
  }
}
