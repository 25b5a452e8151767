/** The stylesheet of the pages. Custom properties change colors and type. */
export const STYLE: string = `:root{color-scheme:light dark;
--gh-font:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
--gh-page:#f6f6f4;--gh-card:#fff;--gh-ink:#1b1f1d;--gh-faint:#59635e;
--gh-line:#dcdcd6;--gh-field:#868f8a;--gh-accent:#1f5fbf;--gh-accent-strong:#174a97;
--gh-on-accent:#fff;--gh-tint:#e8f0fc;--gh-danger:#a4262c;--gh-danger-tint:#fbeaea;
--gh-radius:.6rem}
@media (prefers-color-scheme:dark){:root{--gh-page:#131614;--gh-card:#1c201e;
--gh-ink:#e9eeeb;--gh-faint:#a4aea9;--gh-line:#37403c;--gh-field:#7d8a84;
--gh-accent:#8ab4f8;--gh-accent-strong:#aecbfa;--gh-on-accent:#0b1f3d;
--gh-tint:#1d2b42;--gh-danger:#f3a3a3;--gh-danger-tint:#3a1f20}}
*,*::before,*::after{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--gh-page);color:var(--gh-ink);
font:1.0625rem/1.55 var(--gh-font)}
a{color:var(--gh-accent);text-underline-offset:.15em}
a:hover{color:var(--gh-accent-strong)}
:focus-visible{outline:3px solid var(--gh-accent);outline-offset:2px;border-radius:.25rem}
.skip{position:absolute;top:-5rem;inset-inline-start:1rem;padding:.6rem 1rem;background:var(--gh-card)}
.skip:focus{top:0}
.bar{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;justify-content:space-between;
max-width:58rem;margin-inline:auto;padding:.9rem 1rem}
.brand{color:inherit;font-weight:700;text-decoration:none;overflow-wrap:anywhere}
main{max-width:58rem;margin-inline:auto;padding:clamp(1rem,5vh,3.5rem) 1rem 3rem;outline:none}
.card{max-width:25rem;margin-inline:auto;padding:clamp(1.25rem,4vw,2rem);
background:var(--gh-card);border:1px solid var(--gh-line);border-radius:calc(var(--gh-radius)*1.5)}
.card>:last-child{margin-bottom:0}
h1{margin:0 0 1.1rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;
overflow-wrap:anywhere;text-wrap:balance}
p{margin:0 0 1rem;overflow-wrap:anywhere;text-wrap:pretty}
.field{margin-bottom:1.1rem}
label{display:block;margin-bottom:.25rem;font-weight:600}
.hint{margin:0 0 .3rem;color:var(--gh-faint);font-size:.925rem}
input,select{width:100%;min-height:2.9rem;padding:.55rem .75rem;background:var(--gh-card);
border:1px solid var(--gh-field);border-radius:var(--gh-radius);color:inherit;font:inherit}
[aria-invalid]{border-color:var(--gh-danger)}
.error{margin:0 0 .3rem;color:var(--gh-danger);font-size:.925rem;font-weight:600}
.choice{display:flex;gap:.6rem;align-items:center;margin-bottom:1.1rem}
.choice input{flex:none;width:1.2rem;min-height:0;height:1.2rem;margin:0}
.choice label{margin:0;font-weight:400}
button,.button{display:inline-block;min-height:2.9rem;padding:.6rem 1.1rem;
background:var(--gh-accent);border:1px solid var(--gh-accent);border-radius:var(--gh-radius);
color:var(--gh-on-accent);font:inherit;font-weight:600;line-height:1.5;text-align:center;
text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:var(--gh-accent-strong);border-color:var(--gh-accent-strong);
color:var(--gh-on-accent)}
.card form>button,.wide{width:100%}
.quiet{background:none;border-color:var(--gh-line);color:var(--gh-ink);font-weight:500}
.quiet:hover{background:var(--gh-tint);color:var(--gh-ink)}
.danger{background:none;border-color:var(--gh-danger);color:var(--gh-danger)}
.danger:hover{background:var(--gh-danger-tint);border-color:var(--gh-danger);color:var(--gh-danger)}
.links{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;justify-content:space-between;
margin:1.2rem 0 0;font-size:.95rem}
.links a{display:inline-block}
.message,.problem{padding:.75rem 1rem;border-radius:var(--gh-radius);background:var(--gh-tint)}
.problem{margin-bottom:1rem;background:var(--gh-danger-tint);color:var(--gh-danger)}
.problem p,.problem ul{margin:0}
.problem a{color:inherit}
.secret{font:600 1.75rem/1.4 ui-monospace,Menlo,Consolas,monospace;letter-spacing:.2em}
.card form+form,.card form+p{margin-top:.7rem}
.rows{margin:0 0 1.5rem;padding:0;list-style:none;border-top:1px solid var(--gh-line)}
.rows li{display:flex;gap:1rem;align-items:center;justify-content:space-between;
padding:.7rem 0;border-bottom:1px solid var(--gh-line)}
.rows div{min-width:0;overflow-wrap:anywhere}
.rows p{margin:0}
.rows code{display:inline-block}
form+.rows{margin-top:2.5rem}
p:has(.button)+.rows{margin-top:1.75rem}
.row{display:flex;flex:1;gap:1rem;align-items:baseline;padding:.4rem 0;color:inherit;
text-decoration:none;min-width:0;overflow-wrap:anywhere}
.row:hover{color:inherit}
.row:hover strong{text-decoration:underline}
.row strong{max-width:70%}
.row .hint{flex:1;margin:0;min-width:0;text-align:end}
.row::after{content:"›"/"";margin-inline-start:auto;color:var(--gh-faint)}
.back{margin:0 0 .4rem;font-size:.95rem}
.back a::before{content:"‹ "/""}
fieldset{margin:0 0 1.1rem;padding:0;border:0}
legend{padding:0;margin-bottom:.4rem;font-weight:600}
fieldset .choice{margin-bottom:.5rem}
.facts span{white-space:nowrap}
.facts span:not(:last-child)::after{content:" ·"}
.actions{display:flex;flex-wrap:wrap;gap:.6rem}
h2{margin:2rem 0 1rem;font-size:1.2rem}
code,.key{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.925rem;overflow-wrap:anywhere}
.key{width:100%;padding:.75rem;background:var(--gh-card);border:1px solid var(--gh-field);
border-radius:var(--gh-radius);color:inherit;resize:none}
[hidden]{display:none!important}
.key,.codes{font:600 1.05rem/1.7 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.qr{display:block;width:100%;max-width:13rem;margin:0 0 1rem;border:1px solid var(--gh-line);border-radius:var(--gh-radius)}
.codes{columns:2;padding:0;list-style:none}
.area{display:grid;gap:1rem 2.5rem}
.area nav{min-width:0}
.area nav ul{display:flex;flex-wrap:wrap;gap:.2rem;margin:0;padding:0;list-style:none}
.area nav a{display:block;padding:.5rem .75rem;border-radius:.4rem;color:var(--gh-faint);
text-decoration:none}
.area nav a:hover{color:var(--gh-ink);text-decoration:underline}
.area nav a[aria-current]{background:var(--gh-tint);color:var(--gh-ink);font-weight:600}
.message:has(+.area){max-width:none}
.area section{max-width:30rem;min-width:0}
@media (max-width:43.99rem){.stacked li{display:block}.stacked form{margin-top:.6rem}}
@media (min-width:44rem){.area{grid-template-columns:12rem 1fr}.area nav ul{display:block}}
`;
