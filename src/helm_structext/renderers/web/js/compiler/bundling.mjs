// From the files of an answer to the script and the style sheet of its page, with esbuild.

import {readFileSync} from 'node:fs'
import * as esbuild from 'esbuild'
import path from 'node:path'
import ts from 'typescript'
import {css} from './css.mjs'
import {Mistake, find, has, packaged} from './files.mjs'
import {lineOf, parsed} from './syntax.mjs'

const MODULES = JSON.parse(readFileSync('vendor/modules.json'))
const ENTRY = 'entry of the page'
// What is none of these is TypeScript with JSX, which JavaScript is a part of.
const LOADERS = {
  '.css': 'css', '.json': 'json', '.svg': 'dataurl', '.txt': 'text', '.md': 'text', '.html': 'text',
}
// The hosts at which a page finds bundled modules, and the fonts and pictures of a package's style
// sheet (`cdn.py`).
const BUNDLED = 'http://packages.localhost/'
const PACKAGED = 'https://fonts.gstatic.com/'
const SHEETS = {
  'vuetify/styles': 'vuetify/dist/vuetify.css', 'react-day-picker/style.css': 'react-day-picker/src/style.css',
  'react-day-picker/dist/style.css': 'react-day-picker/src/style.css', 'antd/dist/antd.css': 'antd/dist/reset.css',
}
// Each part of Swiper's styles is in its one sheet.
const SWIPER = /^swiper\/(?:css|scss|less)\b/
// An answer has no place for pictures and often none for style sheets: without one, a page is
// still a page.
const OPTIONAL = /\.(css|scss|sass|less|svg|png|jpe?g|gif|webp|ico)$/

// What a library exports can also be imported from a path of its own: `@mui/material/Button`.
const MEMBER = /^((?:@[\w.-]+\/)?[\w.-]+)\/(?:esm\/)?(\w+)(?:\.js)?$/

// A component of shadcn/ui that an answer does not bring itself, and what those need: `@/components/ui/button`.
const UI = /^(?:[@~.]|src\/|components\/).*(?:\bui|\b(?:lib|utils|hooks)(?=\/(?:utils|cn|use-)))\/([\w-]+)(?:\.[jt]sx?)?$/

// Tailwind's own style sheets, which its script brings: those of release 3 are what it calls layers.
const TAILWIND = /^tailwindcss(?:\/(base|components|utilities))?(?:\.css)?$/

// Next.js gives a font by each family's name. Here it is a class, and Google's style sheet.
const FONTS = `
  const made = family => ({variable, weight = ['400', '500', '600', '700']} = {}) => {
    const name = family.replaceAll('_', ' ')
    const weights = [weight].flat().filter(one => /^\\d+$/.test(one)).sort().join(';')
    const style = document.head.appendChild(document.createElement('style'))
    style.textContent = '@import url("https://fonts.googleapis.com/css2?family=' + encodeURIComponent(name) + (weights && ':wght@' + weights) + '");' +
      '.font-' + family + '{font-family:"' + name + '"}' + (variable ? '.' + 'variable-' + family + '{' + variable + ':"' + name + '"}' : '')
    return {className: 'font-' + family, variable: 'variable-' + family, style: {fontFamily: name}}
  }
  module.exports = Object.create(new Proxy({}, {get: (_, family) => /^[A-Z]\\w*$/.test(String(family)) ? made(family) : undefined}))`

// TypeScript's number for "JSX expressions must have one parent element."
const NO_PARENT = 2657

/**
 * Bundles the files of an answer, beginning with `entry`, a module of ours. `release` is the folder of the
 * bundled modules, for a page that has another release of React; `ui` says whether shadcn/ui's names are known.
 */
export async function bundle(files, entry, {aliases = {}, globals = {}, load = null, elements = [], release = '', ui = false}) {
  const log = new Set()
  const resolve = ({path: wanted, namespace, importer, kind}) => {
    if (wanted === ENTRY) return {path: wanted, namespace: 'entry'}
    if (has(globals, wanted)) return {path: wanted, namespace: 'globals'}
    if (namespace === 'file') { // a package's style sheet, or what it links
      if (kind !== 'url-token' || /^data:|^#/.test(wanted)) return undefined
      const linked = path.relative('node_modules', path.resolve(path.dirname(importer), wanted.replace(/[?#].*/, '')))
      return {path: `${PACKAGED}${linked}`, external: true}
    }
    if (/^(https?:)?\/\/|^data:|^#/.test(wanted)) return {path: wanted, external: true}
    if (namespace === 'entry' && has(files, wanted)) return {path: wanted, namespace: 'answer'}
    if (/^(style|template):/.test(wanted) && has(files, wanted)) return {path: wanted, namespace: 'piece'}
    const name = has(aliases, wanted) ? aliases[wanted] : wanted
    const module = ({file}) => ({path: `${BUNDLED}${release}${file}`, external: true, sideEffects: namespace !== 'globals'})
    if (has(MODULES, name)) return module(MODULES[name])
    if (wanted === 'next/font/google') return {path: wanted, namespace: 'fonts'}
    if (kind === 'import-rule' && TAILWIND.test(wanted)) {
      return wanted === 'tailwindcss' ? {path: wanted, external: true} : {path: wanted, namespace: 'tailwind'}
    }
    const found = /^([./~]|@\/|src\/)/.test(wanted) || kind === 'url-token' || kind === 'import-rule'
      ? find(files, wanted, importer) : undefined
    if (found && found !== importer) return {path: found, namespace: 'answer'}
    const part = ui ? `ui/${UI.exec(wanted)?.[1]}` : ''
    if (has(MODULES, part)) return module(MODULES[part])
    const [, library, member] = MEMBER.exec(wanted) ?? []
    if (has(MODULES, library) && MODULES[library].names.includes(member)) return {path: wanted, namespace: 'member'}
    const sheet = SWIPER.test(wanted) ? 'swiper/swiper-bundle.css' : has(SHEETS, wanted) ? SHEETS[wanted] : wanted
    const file = /\.(css|svg|png|gif)$/.test(sheet) && packaged(sheet)
    if (file) return {path: file}
    if (OPTIONAL.test(wanted) || kind === 'url-token') {
      log.add(`${importer}: ${wanted} is not in the answer and was left out`)
      return {path: wanted, namespace: 'missing'}
    }
    const text = /^([./~]|@\/)/.test(wanted)
      ? `cannot find "${wanted}": there is no such file in the answer`
      : `cannot import "${wanted}": it is not one of the installed packages`
    return {errors: [{text}]}
  }
  // What is imported and not used would go unnoticed. Of what can't be parsed, esbuild says why.
  const unresolved = (name, text, before = 0) => [parsed(/\.ts$/.test(name) ? name : 'a.tsx', text)]
    .flatMap(tree => tree.parseDiagnostics.length ? [] : [...tree.statements])
    .filter(one => ts.isImportDeclaration(one) && !one.importClause?.isTypeOnly)
    .filter(one => ts.isStringLiteral(one.moduleSpecifier)) // Of others, esbuild says what is wrong.
    .flatMap(one => {
      const wanted = one.moduleSpecifier.text
      const {errors = []} = resolve({path: wanted, namespace: 'answer', importer: name, kind: 'import-statement'})
      const line = lineOf(one.getSourceFile(), one.getStart()) + before
      return errors.map(({text}) => ({text, location: {file: name, line, column: 0}}))
    })
  const plugin = {
    name: 'answer',
    setup(build) {
      build.onResolve({filter: /.*/}, resolve)
      build.onLoad({filter: /.*/, namespace: 'entry'}, () => ({contents: entry}))
      build.onLoad({filter: /.*/, namespace: 'globals'}, ({path: name}) => ({contents: globals[name]}))
      build.onLoad({filter: /.*/, namespace: 'fonts'}, () => ({contents: FONTS}))
      build.onLoad({filter: /.*/, namespace: 'tailwind'}, ({path: name}) => (
        {contents: `@tailwind ${TAILWIND.exec(name)[1]};`, loader: 'css'}))
      build.onLoad({filter: /.*/, namespace: 'member'}, ({path: name}) => {
        const [, library, member] = MEMBER.exec(name)
        return {contents: `export * from '${library}'; export {${member} as default} from '${library}'`}
      })
      build.onLoad({filter: /.*/, namespace: 'missing'}, ({path: name}) => ({
        contents: '', loader: /\.(css|scss|sass|less)$/.test(name) ? 'css' : 'dataurl',
      }))
      build.onLoad({filter: /.*/, namespace: 'answer'}, async ({path: name}) => {
        const special = load && await load(name, unresolved)
        if (special) return special
        if (/\.(scss|sass|less)$/.test(name)) {
          return {contents: css(files[name], name, files), loader: name.includes('.module.') ? 'local-css' : 'css'}
        }
        const loader = /\.module\.css$/.test(name) ? 'local-css' : LOADERS[path.extname(name)] ?? 'tsx'
        return {contents: files[name], loader, errors: loader === 'tsx' ? unresolved(name, files[name]) : []}
      })
      build.onLoad({filter: /.*/, namespace: 'piece'}, ({path: name}) => ({
        contents: files[name], loader: name.startsWith('style:') ? 'css' : 'ts',
      }))
    },
  }
  try {
    const result = await esbuild.build({
      entryPoints: {index: ENTRY}, outdir: '/page', bundle: true, write: false, format: 'esm',
      target: 'es2022', platform: 'browser', sourcemap: 'external', charset: 'utf8',
      keepNames: true, jsx: 'automatic', logLevel: 'silent', logLimit: 0, plugins: [plugin],
      inject: Object.keys(globals),
      loader: {'.svg': 'dataurl', '.png': 'dataurl', '.gif': 'dataurl'},
      define: {'process.env.NODE_ENV': '"development"', 'import.meta.env': '{}', 'process.env': '{}'},
      tsconfigRaw: {compilerOptions: {experimentalDecorators: true, useDefineForClassFields: false}},
    })
    const made = Object.fromEntries(result.outputFiles.map(file => [path.basename(file.path), file.text]))
    return {files: made, elements, log: [...log]}
  } catch (error) {
    if (!error.errors?.some?.(one => 'location' in one)) throw error
    const ours = error.errors.find(({detail}) => detail && !detail.errors)
    if (ours) throw ours.detail
    // Of JSX that does not go together, TypeScript's parser says it better.
    const name = error.errors[0].location?.file.replace(/^answer:/, '')
    if (/\.[jt]sx?$/.test(name) && has(files, name)) {
      const tree = parsed('a.tsx', files[name])
      const wrong = tree.parseDiagnostics.find(({code}) => code === NO_PARENT)
      if (wrong) throw new Mistake(name, lineOf(tree, wrong.start), ts.flattenDiagnosticMessageText(wrong.messageText, ' '))
    }
    throw Object.assign(new Error(), {errors: error.errors.map(({text, location, detail}) => detail?.errors[0] ?? ({
      file: location?.file.replace(/^[a-z]+:/, '') ?? '', line: location?.line ?? 0,
      text: text.replaceAll(/"(?:answer|globals|entry):([^"]*)"/g, '"$1"'),
    }))})
  }
}
