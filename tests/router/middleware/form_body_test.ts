import { array, object, string } from "@gatehouse/web/data-schema";
import { maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import { number } from "@gatehouse/web/data-schema/coerce";
import { field, formValues } from "@gatehouse/web/data-schema/form-data";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  formData,
  type InputSchema,
  methodOverride,
  validate,
  type ValidateOptions,
  ValidForm,
} from "@gatehouse/web/middleware";
import * as forms from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";
import { assertSameType } from "../_assert_type.ts";
import { Anything, origin, post, send, urlencoded } from "../_validate.ts";

Deno.test("validate() converts forms for its schemas, with files", async () => {
  const Upload = forms.object({
    title: field(string()),
    count: field(number()),
    tags: forms.fields(array(string())),
    photo: forms.file(),
  });
  const form = new FormData();
  form.set("title", "Tea");
  form.set("count", "2");
  form.append("tags", "a");
  form.append("tags", "b");
  form.set("photo", new File(["x"], "x.png"));
  const router = createRouter();
  const input = validate({ form: Upload });
  router.post("/", { middleware: [input] }, (context) => {
    const { photo, ...rest } = context.get(ValidForm);
    assertSameType<typeof photo, File>();
    assertEquals(context.get(FormData).get("title"), "Tea");
    return Response.json({ ...rest, photo: photo.name });
  });
  const response = await router.fetch(origin, { method: "POST", body: form });
  assertEquals(await response.json(), {
    title: "Tea",
    count: 2,
    tags: ["a", "b"],
    photo: "x.png",
  });
});

Deno.test("validate() uses the form that formData() has read", async () => {
  const Title = object({ title: string().pipe(minLength(1)) });
  const router = createRouter({ middleware: [formData(), methodOverride()] });
  router.put("/", { middleware: [validate({ form: Title })] }, (context) => {
    return new Response(context.get(ValidForm).title);
  });
  const put = (body: BodyInit) =>
    router.fetch(origin, { method: "POST", body });
  const good = new URLSearchParams({ _method: "PUT", title: "Tea" });
  assertEquals(await (await put(good)).text(), "Tea");
  const bad = new URLSearchParams({ _method: "PUT", title: "" });
  assertEquals((await put(bad)).status, 422);
});

const forged: [string, number, RequestInit, ValidateOptions?][] = [
  ["JSON", 415, post("{}")],
  ["no type", 415, { method: "POST" }],
  ["a GET", 415, {}],
  ["compressed", 415, post("a=1", urlencoded, { "Content-Encoding": "br" })],
  ["too large", 413, post("a=12345678", urlencoded), { maxBytes: 8 }],
  ["too many pairs", 413, post("a&".repeat(101), urlencoded)],
  ["no boundary", 400, post("x", "multipart/form-data")],
];

for (const [name, status, init, options] of forged) {
  for (const middleware of [[], [formData(options)]]) {
    const where = middleware.length === 0 ? "" : " behind formData()";
    Deno.test(`validate() responds with ${status} to a form${where}: ${name}`, async () => {
      const router = createRouter({ middleware });
      const input = [validate({ form: Anything }, options)];
      router.route("ANY", "/", { middleware: input }, () => new Response());
      const response = await router.fetch(new Request(origin, init));
      assertEquals(response.status, status);
    });
  }
}

Deno.test("validate() reads an empty form", async () => {
  const empty = post("", urlencoded);
  assertEquals(
    await send({ form: Anything }, empty).then(([, value]) => value),
    {},
  );
  const Form = object({ name: string() });
  assertEquals((await send({ form: Form }, empty))[0], 422);
});

Deno.test("onInvalid() can show the form again with its values", async () => {
  const Registration = forms.object({
    name: field(string().pipe(minLength(1, { message: "Name is required" }))),
    items: forms.fields(
      array(forms.object({ sku: field(string().pipe(maxLength(3))) })),
      { name: "lines" },
    ),
    password: field(string()),
  });
  const options: ValidateOptions = {
    onInvalid({ status, issues }, context) {
      const typed = formValues(context.get(FormData));
      return Response.json({ issues, typed }, { status });
    },
  };
  const body = "name=&lines[0].sku=abcd&password=s3cret";
  const [status, page] = await send(
    { form: Registration },
    post(body, urlencoded),
    options,
  );
  assertEquals(status, 422);
  assertEquals(page, {
    issues: [
      {
        part: "form",
        path: ["name"],
        message: "Name is required",
        field: "name",
      },
      {
        part: "form",
        path: ["items", 0, "sku"],
        message: "Expected length at most 3",
        field: "lines[0].sku",
      },
    ],
    typed: { name: "", "lines[0].sku": "abcd" },
  });
});

Deno.test("onInvalid() gets an empty form if the form was unreadable", async () => {
  const options: ValidateOptions = {
    maxBytes: 4,
    onInvalid: ({ status, detail, issues }, context) =>
      Response.json([detail, issues, ...context.get(FormData)], { status }),
  };
  assertEquals(
    (await send({ form: Anything }, post("a=123", urlencoded), options))
      .slice(0, 2),
    [413, ["The body is too large", []]],
  );
});

Deno.test("onInvalid() can return nothing for the default response, and may be async", async () => {
  const Never: InputSchema = {
    "~standard": { version: 1, validate: () => ({ issues: [] }) },
  };
  const Wrong = object({ a: string() });
  const skip: ValidateOptions = { onInvalid: () => undefined };
  assertEquals((await send({ query: Wrong }, {}, skip))[0], 422);
  const late: ValidateOptions = {
    onInvalid: () => Promise.resolve(Response.json("x", { status: 404 })),
  };
  assertEquals((await send({ params: Wrong }, {}, late))[0], 404);
  // Issues without a message still reject the request.
  assertEquals((await send({ params: Never }, {}))[0], 422);
});
