import { BUN } from "./runtimes/bun.ts";
import { DENO } from "./runtimes/deno.ts";
import { NODE } from "./runtimes/node.ts";
import type { ProjectRuntime } from "./runtimes/runtime.ts";
import { WORKERS } from "./runtimes/workers.ts";
import { API } from "./templates/api.ts";
import { LOGIN } from "./templates/login.ts";
import { MINIMAL } from "./templates/minimal.ts";
import { SAAS } from "./templates/saas.ts";
import type { Template } from "./templates/template.ts";

/** The templates, by the name on the command line. */
export const TEMPLATES = {
  minimal: MINIMAL,
  login: LOGIN,
  saas: SAAS,
  api: API,
};

/** The runtimes, by the name on the command line. */
export const RUNTIMES = { deno: DENO, bun: BUN, node: NODE, workers: WORKERS };

/** The choices of a user. */
export interface Project {
  /** The folder, as the user named it. */
  readonly folder: string;
  readonly template: keyof typeof TEMPLATES;
  readonly runtime: keyof typeof RUNTIMES;
  readonly database: "sqlite" | "postgres";
}

/** The pages that generated files link to. */
const GUIDE = "https://github.com/gatehouse/web/blob/main/docs";

/** Returns `true` if a project can have its accounts in PostgreSQL. */
export function hasPostgres(
  { template, runtime }: Pick<Project, "template" | "runtime">,
): boolean {
  return TEMPLATES[template].hasAccounts && runtime !== "workers";
}

/** Returns the files of a new project, by path. */
export function projectFiles(
  name: string,
  choices: Omit<Project, "folder">,
): Record<string, string> {
  const template: Template = {
    ...TEMPLATES[choices.template],
    ...choices.database === "postgres" && { database: choices.database },
  };
  const runtime: ProjectRuntime = RUNTIMES[choices.runtime];
  return {
    ...template.sources,
    "app_test.ts": runtime.testSetup(template) + template.tests,
    ...settingsFiles(template, runtime),
    "README.md": readme(name, template, runtime),
    ...runtime.files(name, template),
  };
}

/** Returns `.env` with new secrets and `.env.example` without them. */
function settingsFiles(
  template: Template,
  runtime: ProjectRuntime,
): Record<string, string> {
  const settings = (valueOf: (create: () => string) => string) =>
    template.secrets.map(({ name, comment, create }) =>
      `# ${comment}\n${name}=${valueOf(create)}\n`
    ).concat(runtime.settings(template)).filter((part) => part !== "")
      .join("\n");
  const example = settings(() => "");
  if (example === "") return {};
  return { ".env": settings((create) => create()), ".env.example": example };
}

function readme(
  name: string,
  { summary, note }: Template,
  { title, commands, deployment }: ProjectRuntime,
): string {
  return `# ${name}

${summary}. It runs on ${title}.

\`\`\`sh
${commands.join("\n")}
\`\`\`

- ${note}
- ${deployment}
- [Guide](${GUIDE}/README.md)
- [Deployment](${GUIDE}/deploy.md)
`;
}
