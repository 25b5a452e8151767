/** The stylesheet of the pages, whose hash is in their policy. */
export const STYLE: string = `:root{color-scheme:light dark;
--font:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
--page:#f6f6f4;--card:#fff;--ink:#1b1f1d;--faint:#59635e;--line:#dcdcd6;--field:#868f8a;
--accent:#1f5fbf;--strong:#174a97;--on-accent:#fff;--tint:#e8f0fc;
--warn:#7a4b00;--warn-tint:#fdf3dc}
@media (prefers-color-scheme:dark){:root{--page:#131614;--card:#1c201e;--ink:#e9eeeb;
--faint:#a4aea9;--line:#37403c;--field:#7d8a84;--accent:#8ab4f8;--strong:#aecbfa;
--on-accent:#0b1f3d;--tint:#1d2b42;--warn:#f2cd85;--warn-tint:#382a10}}
*,*::before,*::after{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--page);color:var(--ink);font:1.0625rem/1.55 var(--font)}
main{max-width:29rem;margin:0 auto;padding:clamp(1.25rem,5vw,2.25rem);background:var(--card);overflow-wrap:anywhere}
@media (min-width:32rem){body{padding:clamp(1rem,8vh,5rem) 1rem}
main{border:1px solid var(--line);border-radius:.9rem}}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;text-wrap:balance}
p{margin:0 0 1rem;text-wrap:pretty}
a{color:var(--accent);text-underline-offset:.15em}
a:hover{color:var(--strong)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1rem;margin:0 0 1.25rem;
padding:.85rem 1rem;border:1px solid var(--line);border-radius:.6rem;font-size:.975rem}
dt{color:var(--faint)}
dd{margin:0;font-weight:600}
@media (max-width:31.99rem){dl{display:block}dd+dt{margin-top:.35rem}}
.warning{padding:.75rem 1rem;border-radius:.6rem;background:var(--warn-tint);color:var(--warn);font-size:.975rem}
fieldset{margin:0 0 1.25rem;padding:0;border:0}
legend{margin-bottom:.4rem;padding:0;font-weight:600}
.choice{display:flex;gap:.7rem;align-items:flex-start;padding:.6rem 0;border-bottom:1px solid var(--line)}
.choice label{flex:1;cursor:pointer}
.choice input{flex:none;width:1.25rem;height:1.25rem;margin:.18rem 0 0;accent-color:var(--accent)}
.new{margin-inline-start:.4rem;padding:.1rem .45rem;border-radius:.35rem;background:var(--tint);font-size:.85rem;font-weight:600;white-space:nowrap}
.actions{display:flex;flex-wrap:wrap;gap:.7rem}
button,.button{flex:1 1 9rem;min-height:2.9rem;padding:.6rem 1.1rem;background:var(--accent);border:1px solid var(--accent);
border-radius:.6rem;color:var(--on-accent);font:inherit;font-weight:600;line-height:1.5;text-align:center;text-decoration:none;cursor:pointer}
.button{display:block}
button:hover,.button:hover{background:var(--strong);border-color:var(--strong);color:var(--on-accent)}
.quiet{background:none;border-color:var(--field);color:var(--ink)}
.quiet:hover{background:var(--tint);color:var(--ink)}
.hint{margin:1.1rem 0 0;color:var(--faint);font-size:.925rem}
`;
