import { assertEquals } from "@std/assert";
import {
  flatten,
  type InferOutput,
  parseSafe,
  string,
} from "@gatehouse/web/data-schema";
import {
  email,
  fieldsMatch,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import { field, object } from "@gatehouse/web/data-schema/form-data";

const Registration = object({
  name: field(string().pipe(minLength(1, { message: "Name is required" }))),
  email: field(string().pipe(email({ message: "Invalid email address" }))),
  password: field(
    string().pipe(minLength(8, {
      message: "Password must be at least 8 characters",
    })),
  ),
  confirmPassword: field(string()),
}).pipe(fieldsMatch("password", "confirmPassword", {
  message: "Passwords do not match",
}));

const valid = {
  name: "Ada",
  email: "ada@example.com",
  password: "correct horse",
  confirmPassword: "correct horse",
};

const cases: {
  change: Partial<InferOutput<typeof Registration>>;
  fields: Record<string, string[]>;
}[] = [
  { change: { name: "" }, fields: { name: ["Name is required"] } },
  { change: { email: "ada" }, fields: { email: ["Invalid email address"] } },
  {
    change: { password: "1234567", confirmPassword: "1234567" },
    fields: { password: ["Password must be at least 8 characters"] },
  },
  {
    change: { confirmPassword: "battery staple" },
    fields: { confirmPassword: ["Passwords do not match"] },
  },
  {
    change: { name: "", email: "", confirmPassword: "battery staple" },
    fields: {
      name: ["Name is required"],
      email: ["Invalid email address"],
      confirmPassword: ["Passwords do not match"],
    },
  },
];

for (const { change, fields } of cases) {
  Deno.test(`parseSafe() gives the messages for ${JSON.stringify(change)} (spec 5.1.5, 7)`, () => {
    const result = parseSafe(Registration, formOf({ ...valid, ...change }));

    assertEquals(result.success, false);
    if (result.success) return;
    assertEquals({ ...flatten(result.issues).fields }, fields);
    assertEquals(
      result.issues.map((issue) => issue.field),
      result.issues.map((issue) => String(issue.path[0])),
    );
  });
}

Deno.test("parseSafe() takes a valid registration (spec 5.1.5)", () => {
  const form = formOf(valid);
  assertEquals(parseSafe(Registration, form), { success: true, value: valid });
});

Deno.test("parseSafe() returns the same messages for missing fields (spec 7)", () => {
  const result = parseSafe(Registration, new FormData());

  assertEquals(result.success, false);
  if (result.success) return;
  assertEquals({ ...flatten(result.issues).fields }, {
    name: ["Name is required"],
    email: ["Invalid email address"],
    password: ["Password must be at least 8 characters"],
    confirmPassword: ["Required"],
  });
});

function formOf(values: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  return form;
}
