// Style sheets in other languages → CSS.

import {Mistake} from './files.mjs'
import {less} from './less.mjs'
import {sass} from './sass.mjs'

const COMPILERS = {scss: sass, sass, less, css: text => text, postcss: text => text, pcss: text => text}

/** What a style sheet is in CSS, by the ending of its name. */
export function css(text, name, files) {
  const language = /\.(\w+)$/.exec(name)?.[1] ?? 'css'
  if (!Object.hasOwn(COMPILERS, language)) throw new Mistake(name, 0, `style sheets in ${language} are not supported`)
  return COMPILERS[language](text, name, files)
}
