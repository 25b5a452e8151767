import { array, number, object, string } from "@gatehouse/web/data-schema";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { integer, min } from "@gatehouse/web/data-schema/checks";

/** The user of the API. */
export const Account = object({
  id: string(),
  name: string(),
  email: string(),
  role: string(),
  scopes: array(string()),
});

/** A notice on the board. */
export const Notice = object({
  id: number(),
  title: string(),
  body: string(),
  author: string(),
  createdAt: number(),
});

/** The latest notices. */
export const NoticeList = object({ notices: array(Notice) });

/** The params of a notice. */
export const NoticeParams = object({
  id: coerce.number().pipe(integer(), min(1)),
});

/** The response if there is no such notice. */
export const NotFound = object({ error: string() });
