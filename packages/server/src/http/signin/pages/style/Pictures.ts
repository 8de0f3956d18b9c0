/** The pictures of the pages. All are in the style sheet: the policy of the pages allows no others. */

/** A picture as an address, for `content` that a strict policy allows: `img-src data:`. */
const picture = (content: string, attributes: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" ${attributes}>${content}</svg>`
  )}`

const drawn = (path: string): string =>
  picture(
    `<path d="${path}"/>`,
    'fill="none" stroke="#000" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"'
  )

/** A cairn: three stones, one on the other. */
const STONES =
  '<ellipse cx="12.6" cy="4.7" rx="4.3" ry="3" transform="rotate(-8 12.6 4.7)"/><ellipse cx="11.5" cy="11.6" rx="7.2" ry="3.4" transform="rotate(5 11.5 11.6)"/><ellipse cx="12" cy="19.2" rx="10.6" ry="3.9"/>'

/** The mark of the product for a browser's tab, in a colour that shows on light and dark. */
export const MARK = picture(STONES, 'fill="#3d87d6"')

/** Pictures that stand beside words, drawn in the colour of the text. */
const PICTURES = {
  mark: picture(STONES, 'fill="#000"'),
  mail: drawn(
    "M4 5.5h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM3.5 7l8.5 6 8.5-6"
  ),
  alert: drawn("M12 3.5 2.5 20h19zM12 10v4.5M12 17.2v.1"),
  info: drawn("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.5M12 7.7v.1"),
  done: drawn("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12.3l2.8 2.8L16 9.7"),
  lock: drawn(
    "M6 11h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1zM8 11V8a4 4 0 0 1 8 0v3"
  ),
  clock: drawn("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2")
} as const
export type PictureName = keyof typeof PICTURES

export const pictures = Object.entries(PICTURES)
  .map(([name, address]) => `.picture-${name} {\n  mask-image: url("${address}");\n}`)
  .join("\n\n")
