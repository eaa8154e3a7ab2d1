// Sass → CSS. A style sheet may use others of the answer.

import {Mistake, sheet} from './files.mjs'
import {fresh} from './fresh.mjs'

// Sass marks the classes of all that it gets. So that is of its own realm.
const COMPILE = `({compileString, Logger}, text, syntax, name, find, read) => {
  const address = name => name === undefined ? null : new URL('answer:' + encodeURIComponent(name))
  const file = url => decodeURIComponent(url.pathname)
  return compileString(text, {
    syntax, url: address(name), logger: Logger.silent,
    importer: {
      canonicalize: (wanted, {containingUrl}) => address(find(
        wanted.startsWith('answer:') ? file(new URL(wanted)) : wanted, containingUrl ? file(containingUrl) : name)),
      load: url => ({...read(file(url))}),
    },
  }).css
}`

/** What a style sheet of Sass is in CSS. */
export function sass(text, name, files) {
  const {library, evaluate} = fresh('sass')
  try {
    return evaluate(COMPILE)(library, text, syntaxOf(name), name,
      (wanted, from) => sheet(files, wanted, from), found => ({contents: files[found], syntax: syntaxOf(found)}))
  } catch (error) {
    if (!error.sassMessage) throw error
    const where = error.span?.url ? decodeURIComponent(error.span.url.pathname) : name
    throw new Mistake(where, (error.span?.start.line ?? -1) + 1, `Sass: ${error.sassMessage}`)
  }
}

const syntaxOf = name => name.endsWith('.sass') ? 'indented' : name.endsWith('.css') ? 'css' : 'scss'
