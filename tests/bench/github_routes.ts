/** A method and a path pattern, in the syntax that all routers share. */
export type BenchRoute = readonly [method: string, path: string];

const CRUD = "GET PATCH DELETE";

/** Method lists and paths, shaped as those of the public GitHub REST API. */
const SHAPES = `
GET /
GET /authorizations
POST /authorizations
${CRUD} /authorizations/:id
GET DELETE /applications/:client/tokens/:token
GET /codes_of_conduct
GET /codes_of_conduct/:key
GET /emojis
GET /events
GET /feeds
GET /meta
GET /octocat
GET /rate_limit
GET /zen
GET POST /gists
GET /gists/public
GET /gists/starred
${CRUD} /gists/:id
GET POST /gists/:id/comments
${CRUD} /gists/:id/comments/:comment
GET /gists/:id/commits
GET POST /gists/:id/forks
GET PUT DELETE /gists/:id/star
GET /gists/:id/:sha
GET /gitignore/templates
GET /gitignore/templates/:name
GET /issues
GET /licenses
GET /licenses/:key
POST /markdown
POST /markdown/raw
GET PUT /notifications
${CRUD} /notifications/threads/:id
GET PUT DELETE /notifications/threads/:id/subscription
GET /organizations
GET PATCH /orgs/:org
GET /orgs/:org/events
GET POST /orgs/:org/hooks
${CRUD} /orgs/:org/hooks/:id
POST /orgs/:org/hooks/:id/pings
GET /orgs/:org/issues
GET /orgs/:org/members
GET DELETE /orgs/:org/members/:user
GET PUT DELETE /orgs/:org/memberships/:user
GET /orgs/:org/outside_collaborators
PUT DELETE /orgs/:org/outside_collaborators/:user
GET POST /orgs/:org/projects
GET /orgs/:org/public_members
GET PUT DELETE /orgs/:org/public_members/:user
GET POST /orgs/:org/repos
GET POST /orgs/:org/teams
GET /orgs/:org/teams/:team
GET /orgs/:org/teams/:team/members
GET PUT DELETE /orgs/:org/teams/:team/memberships/:user
${CRUD} /projects/:id
GET POST /projects/:id/columns
${CRUD} /projects/columns/:id
GET POST /projects/columns/:id/cards
GET /repositories
${CRUD} /repos/:owner/:repo
GET /repos/:owner/:repo/actions/artifacts
GET DELETE /repos/:owner/:repo/actions/artifacts/:id
GET /repos/:owner/:repo/actions/runs
GET DELETE /repos/:owner/:repo/actions/runs/:id
POST /repos/:owner/:repo/actions/runs/:id/cancel
GET /repos/:owner/:repo/actions/runs/:id/jobs
GET /repos/:owner/:repo/actions/secrets
GET PUT DELETE /repos/:owner/:repo/actions/secrets/:name
GET /repos/:owner/:repo/assignees
GET /repos/:owner/:repo/assignees/:user
GET /repos/:owner/:repo/branches
GET /repos/:owner/:repo/branches/:branch
GET PUT DELETE /repos/:owner/:repo/branches/:branch/protection
GET PATCH /repos/:owner/:repo/branches/:branch/protection/required_status_checks
GET /repos/:owner/:repo/collaborators
GET PUT DELETE /repos/:owner/:repo/collaborators/:user
GET /repos/:owner/:repo/collaborators/:user/permission
GET /repos/:owner/:repo/comments
${CRUD} /repos/:owner/:repo/comments/:id
GET /repos/:owner/:repo/commits
GET /repos/:owner/:repo/commits/:sha
GET POST /repos/:owner/:repo/commits/:sha/comments
GET /repos/:owner/:repo/commits/:sha/status
GET /repos/:owner/:repo/commits/:sha/statuses
GET /repos/:owner/:repo/compare/:range
GET PUT DELETE /repos/:owner/:repo/contents/:path
GET /repos/:owner/:repo/contributors
GET POST /repos/:owner/:repo/deployments
GET POST /repos/:owner/:repo/deployments/:id/statuses
GET /repos/:owner/:repo/downloads
GET DELETE /repos/:owner/:repo/downloads/:id
GET /repos/:owner/:repo/events
GET POST /repos/:owner/:repo/forks
POST /repos/:owner/:repo/git/blobs
GET /repos/:owner/:repo/git/blobs/:sha
POST /repos/:owner/:repo/git/commits
GET /repos/:owner/:repo/git/commits/:sha
GET POST /repos/:owner/:repo/git/refs
${CRUD} /repos/:owner/:repo/git/refs/:ref
POST /repos/:owner/:repo/git/tags
GET /repos/:owner/:repo/git/tags/:sha
POST /repos/:owner/:repo/git/trees
GET /repos/:owner/:repo/git/trees/:sha
GET POST /repos/:owner/:repo/hooks
${CRUD} /repos/:owner/:repo/hooks/:id
POST /repos/:owner/:repo/hooks/:id/tests
GET POST /repos/:owner/:repo/issues
GET /repos/:owner/:repo/issues/comments
${CRUD} /repos/:owner/:repo/issues/comments/:id
GET /repos/:owner/:repo/issues/events
GET /repos/:owner/:repo/issues/events/:id
GET PATCH /repos/:owner/:repo/issues/:number
GET POST /repos/:owner/:repo/issues/:number/comments
GET /repos/:owner/:repo/issues/:number/events
GET POST PUT DELETE /repos/:owner/:repo/issues/:number/labels
DELETE /repos/:owner/:repo/issues/:number/labels/:name
PUT DELETE /repos/:owner/:repo/issues/:number/lock
GET POST /repos/:owner/:repo/keys
GET DELETE /repos/:owner/:repo/keys/:id
GET POST /repos/:owner/:repo/labels
${CRUD} /repos/:owner/:repo/labels/:name
GET /repos/:owner/:repo/languages
POST /repos/:owner/:repo/merges
GET POST /repos/:owner/:repo/milestones
${CRUD} /repos/:owner/:repo/milestones/:number
GET /repos/:owner/:repo/milestones/:number/labels
GET PUT /repos/:owner/:repo/notifications
GET /repos/:owner/:repo/pages
GET POST /repos/:owner/:repo/pages/builds
GET POST /repos/:owner/:repo/pulls
GET /repos/:owner/:repo/pulls/comments
${CRUD} /repos/:owner/:repo/pulls/comments/:id
GET PATCH /repos/:owner/:repo/pulls/:number
GET POST /repos/:owner/:repo/pulls/:number/comments
GET /repos/:owner/:repo/pulls/:number/commits
GET /repos/:owner/:repo/pulls/:number/files
GET PUT /repos/:owner/:repo/pulls/:number/merge
GET POST /repos/:owner/:repo/pulls/:number/reviews
GET /repos/:owner/:repo/readme
GET POST /repos/:owner/:repo/releases
GET /repos/:owner/:repo/releases/latest
GET /repos/:owner/:repo/releases/tags/:tag
${CRUD} /repos/:owner/:repo/releases/:id
GET /repos/:owner/:repo/releases/:id/assets
GET /repos/:owner/:repo/stargazers
GET /repos/:owner/:repo/stats/code_frequency
GET /repos/:owner/:repo/stats/commit_activity
GET /repos/:owner/:repo/stats/contributors
GET /repos/:owner/:repo/stats/participation
GET /repos/:owner/:repo/stats/punch_card
POST /repos/:owner/:repo/statuses/:sha
GET /repos/:owner/:repo/subscribers
GET PUT DELETE /repos/:owner/:repo/subscription
GET /repos/:owner/:repo/tags
GET /repos/:owner/:repo/teams
GET PUT /repos/:owner/:repo/topics
GET /search/code
GET /search/commits
GET /search/issues
GET /search/repositories
GET /search/users
${CRUD} /teams/:id
GET /teams/:id/members
GET PUT DELETE /teams/:id/members/:user
GET /teams/:id/repos
GET PUT DELETE /teams/:id/repos/:owner/:repo
GET PATCH /user
GET POST DELETE /user/emails
GET /user/followers
GET /user/following
GET PUT DELETE /user/following/:user
GET /user/issues
GET POST /user/keys
GET DELETE /user/keys/:id
GET /user/orgs
GET POST /user/repos
GET /user/starred
GET PUT DELETE /user/starred/:owner/:repo
GET /user/subscriptions
GET PUT DELETE /user/subscriptions/:owner/:repo
GET /user/teams
GET /users
GET /users/:user
GET /users/:user/events
GET /users/:user/events/orgs/:org
GET /users/:user/events/public
GET /users/:user/followers
GET /users/:user/following
GET /users/:user/following/:target
GET /users/:user/gists
GET /users/:user/keys
GET /users/:user/orgs
GET /users/:user/received_events
GET /users/:user/repos
GET /users/:user/starred
GET /users/:user/subscriptions
`;

/** A table of about 300 routes, as an application with a public API has it. */
export const githubRoutes: readonly BenchRoute[] = SHAPES.trim().split("\n")
  .flatMap((line) => {
    const words = line.split(" ");
    const path = words.pop()!;
    return words.map((method): BenchRoute => [method, path]);
  });

/** Generates `count` routes shaped like resources, two in three with params. */
export function generateRoutes(count: number): BenchRoute[] {
  const routes: BenchRoute[] = [];
  for (let i = 0; routes.length < count; i++) {
    const name = `/${WORDS[i % WORDS.length]}${i}`;
    routes.push(
      ["GET", name],
      ["GET", `${name}/:id`],
      ["GET", `${name}/:id/${WORDS[(i * 7 + 3) % WORDS.length]}/:item`],
    );
  }
  return routes.slice(0, count);
}

const WORDS = [
  "accounts",
  "albums",
  "articles",
  "books",
  "carts",
  "comments",
  "devices",
  "events",
  "files",
  "groups",
  "images",
  "invoices",
  "jobs",
  "messages",
  "orders",
  "pages",
  "payments",
  "products",
  "reports",
  "tasks",
];

/** Returns a URL path of a route. Each `seed` gives other param values. */
export function pathOf(path: string, seed: number): string {
  return path.replace(/:\w+/g, (name) => `${name.slice(1, 5)}${seed % 9973}`)
    .replace("*", `src/file${seed % 9973}.ts`);
}
