import { encode } from "uqr";
import { html, type Markup } from "@gatehouse/web/content";

/** Creates a QR code as an inline SVG, which needs no script and no style. */
export function qrCode(text: string, label: string): Markup {
  const { data, size } = encode(text, { border: 4 });
  let path = "";
  for (const [y, row] of data.entries()) {
    for (const [x, isDark] of row.entries()) {
      if (isDark) path += `M${x} ${y}h1v1h-1z`;
    }
  }
  return html`
    <svg class="qr" role="img" aria-label="${label}"
      viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
      <rect width="${size}" height="${size}" fill="#fff"></rect>
      <path d="${path}" fill="#000"></path>
    </svg>
  `;
}
