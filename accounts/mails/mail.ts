import { html, type Markup } from "../../router/content/mod.ts";
import type { Messages } from "../messages/messages.ts";

/** An email to send. */
export interface Mail {
  /** The address. */
  readonly to: string;
  /** The subject. It contains nothing that a user typed, and no code. */
  readonly subject: string;
  /** The plain text. */
  readonly text: string;
  /** The same as HTML. */
  readonly html: string;
}

/** The parts of an email: one message with a button, and at most one code. */
export interface MailParts {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The label of the button. */
  readonly button: string;
  /** The URL to which the button leads. */
  readonly url: string;
  readonly code?: string;
  /** The last paragraphs, such as advice for users who asked for nothing. */
  readonly notes: readonly string[];
}

/** Creates an email as plain text and as HTML. */
export function createMail(parts: MailParts, messages: Messages): Mail {
  const { to, subject } = parts;
  return {
    to,
    subject,
    text: textOf(parts, messages),
    html: `<!doctype html>\n${htmlOf(parts, messages)}`,
  };
}

function textOf(
  { text, button, url, code, notes }: MailParts,
  { mails }: Messages,
): string {
  return [
    text,
    `${button}:\n${url}`,
    ...code === undefined ? [] : [mails.orCode, code, mails.tenMinutes],
    ...notes,
  ].join("\n\n") + "\n";
}

const BODY =
  "margin:0;padding:24px 12px;background:#f6f6f4;color:#1d2321;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif";
const CARD =
  "max-width:480px;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #dcdcd6;border-radius:12px";
const BUTTON =
  "display:inline-block;padding:11px 20px;background:#1f5fbf;color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none";
const CODE =
  "font:600 28px/1.4 ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px;margin:8px 0 16px";
const NOTE = "margin:16px 0 0;color:#5a645f;font-size:14px";

function htmlOf(
  { subject, text, button, url, code, notes }: MailParts,
  { language, mails }: Messages,
): Markup {
  return html`
    <html lang="${language}">
      <head>
        <meta charset="utf-8">
        <title>${subject}</title>
      </head>
      <body style="${BODY}">
        <div style="${CARD}">
          <p style="margin:0 0 16px">${text}</p>
          <p style="margin:24px 0"><a href="${url}" style="${BUTTON}">${button}</a></p>
          ${code !== undefined && html`
            <p style="margin:0">${mails.orCode}</p>
            <p style="${CODE}">${code}</p>
            <p style="margin:0">${mails.tenMinutes}</p>
          `}
          ${notes.map((note) =>
            html`
              <p style="${NOTE}">${note}</p>
            `
          )}
        </div>
      </body>
    </html>
  `;
}
