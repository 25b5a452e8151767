/** The stylesheet of the pages, whose hash is in their policy. */
export const STYLE: string = `:root{color-scheme:light dark;
--page:#f6f6f4;--card:#fff;--ink:#1b1f1d;--faint:#59635e;--line:#dcdcd6;
--accent:#1f5fbf;--warn:#7a4b00;--warn-tint:#fdf3dc}
@media (prefers-color-scheme:dark){:root{--page:#131614;--card:#1c201e;--ink:#e9eeeb;
--faint:#a4aea9;--line:#37403c;--accent:#8ab4f8;--warn:#f2cd85;--warn-tint:#382a10}}
*{box-sizing:border-box}
body{margin:0;background:var(--card);color:var(--ink);font:1.0625rem/1.55 system-ui,sans-serif}
main{max-width:29rem;margin:0 auto;padding:clamp(1.25rem,5vw,2rem);overflow-wrap:anywhere}
h1,p,dl,fieldset{margin:0 0 1rem}
h1{font-size:1.5rem;line-height:1.25;text-wrap:balance}
p{text-wrap:pretty}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
dl,.warning{padding:.75rem 1rem;border-radius:.6rem;background:var(--page);font-size:.95rem}
dt,.hint{color:var(--faint)}
dd{margin:0;font-weight:600}
dd+dt{margin-top:.4rem}
.warning{background:var(--warn-tint);color:var(--warn)}
fieldset{padding:0;border:0}
legend,[for]{display:block;margin-bottom:.4rem;padding:0;font-weight:600}
.choice{display:flex;gap:.6rem;align-items:start;padding:.6rem 0;border-bottom:1px solid var(--line);cursor:pointer}
.choice input{flex:none;width:1.25rem;height:1.25rem;margin:.15rem 0 0;accent-color:var(--accent)}
.new{margin-inline-start:.4rem;color:var(--accent)}
.actions{display:flex;flex-wrap:wrap;gap:.6rem}
button,.button{display:block;flex:1 1 9rem;width:100%;padding:.6rem 1rem;background:var(--accent);border:1px solid var(--accent);
border-radius:.6rem;color:var(--card);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{filter:brightness(.9)}
.quiet{background:none;border-color:var(--faint);color:inherit}
input.quiet{letter-spacing:.12em;text-transform:uppercase;cursor:text}
.hint{margin:1rem 0 0;font-size:.95rem}
main>:last-child{margin-bottom:0}
@media (min-width:32rem){body{padding:8vh 1rem;background:var(--page)}
main{background:var(--card);border:1px solid var(--line);border-radius:.6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.4rem 1rem}
dd+dt{margin:0}}
`;

/** The SHA-256 hash of the stylesheet in base64. A test names the new one. */
export const STYLE_HASH = "188asjO+XTuLr4XMM+ABYRq60ZfBbLts93fgy7P0tZI=";
