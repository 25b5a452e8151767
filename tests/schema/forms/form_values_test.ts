import { formValues } from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";

Deno.test("formValues() returns the user's input, without secrets and files", () => {
  const form = new FormData();
  for (
    const name of [
      "email",
      "password",
      "confirmPassword",
      "new_password",
      "csrf-token",
      "otp",
      "client_secret",
      "cvc",
      "cvv",
      "credentials",
      "passphrase",
      "pin",
      "newPin",
      "pinCode",
      "user_pin",
      "pwd",
      "pass",
      "passcode",
      "mfa_code",
      "apiKey",
      "opinion",
      "passport",
      "state",
      "__proto__",
    ]
  ) form.append(name, name);
  form.append("email", "second");
  form.append("photo", new File(["a"], "a.png"));

  assertEquals(Object.entries(formValues(form)), [
    ["email", "email"],
    ["opinion", "opinion"],
    ["passport", "passport"],
    ["state", "state"],
    ["__proto__", "__proto__"],
  ]);
  assertEquals(formValues(form, { omit: ["email"] }).email, undefined);
});
