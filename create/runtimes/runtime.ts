import type { Template } from "../templates/template.ts";

/** A runtime that projects are created for. */
export interface ProjectRuntime {
  /** The name in a sentence. */
  readonly title: string;
  /** Returns the lines of `.env.example` after the secrets. */
  readonly settings: (template: Template) => string;
  /** The commands that install, test and serve a new project. */
  readonly commands: readonly string[];
  /** The sentence of the README on deployment. */
  readonly deployment: string;
  /** Returns the beginning of the tests, which declares `openClient`. */
  readonly testSetup: (template: Template) => string;
  /** Returns the files that other runtimes do not have. */
  readonly files: (name: string, template: Template) => Record<string, string>;
}
