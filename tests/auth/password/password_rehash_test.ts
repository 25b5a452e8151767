import {
  createPasswordQueue,
  hashPassword,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";

const cheap = { memory: 8, passes: 1 };
const today = { memory: 16, passes: 1 };

Deno.test("verifyPassword() saves a new hash for a correct password with an outdated hash", async () => {
  const old = await hashPassword("correct horse", cheap);
  const saved: [string, string][] = [];
  const result = await verifyPassword(old, "correct horse", {
    ...today,
    saveHash: (...hashes) => saved.push(hashes),
  });
  assertEquals(result, { ok: true, needsRehash: false });
  assertEquals(saved.length, 1);
  const [[newHash, oldHash]] = saved;
  assertEquals(oldHash, old);
  assertStringIncludes(newHash, "$m=16,t=1,p=1$");
  assertEquals(await verifyPassword(newHash, "correct horse", today), {
    ok: true,
    needsRehash: false,
  });
});

Deno.test("verifyPassword() saves no hash for wrong passwords, current hashes and unknown users", async () => {
  const outdated = await hashPassword("correct horse", cheap);
  const current = await hashPassword("correct horse", today);
  const options = {
    ...today,
    saveHash: () => {
      throw new Error("Saved");
    },
  };
  for (const hash of [outdated, current, null, "", "nonsense"]) {
    assert(!(await verifyPassword(hash, "wrong", options)).ok);
  }
  assert((await verifyPassword(current, "correct horse", options)).ok);
});

Deno.test("verifyPassword() accepts a user even if the queue is too full for a new hash", async () => {
  const old = await hashPassword("correct horse", cheap);
  const queue = createPasswordQueue({ running: 1, waiting: 0 });
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const result = await verifyPassword(old, "correct horse", {
    ...today,
    queue: {
      run(work) {
        // Another request takes the place between the verification and the new hash.
        if (++calls === 2) queue.run(() => gate.promise);
        return queue.run(work);
      },
    },
    saveHash: () => {
      throw new Error("Saved");
    },
  });
  assertEquals(result, { ok: true, needsRehash: true });
  gate.resolve();
});

Deno.test("verifyPassword() rejects if saving the new hash fails", async () => {
  const old = await hashPassword("correct horse", cheap);
  const saveHash = () =>
    Promise.reject(new Error("The database is unavailable"));
  await assertRejects(
    () => verifyPassword(old, "correct horse", { ...today, saveHash }),
    Error,
    "The database is unavailable",
  );
});
