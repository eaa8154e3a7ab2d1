// Compiles what models wrote, one request after the other: a line of JSON in, a line of JSON out.
//
// Request: {kind, files: {name: text}} → {files: {name: text}, elements: [HTML], log: [text]}
//          {kind: 'locate', map, line, column} → {file, line}
// Errors:  {errors: [{file, line, text}]}
//
// It runs no code that it compiles. An import leads to another file of the request, to one of the
// bundled modules (`bundle.mjs`) or to a style sheet of a package, and nowhere else.

import {readFileSync} from 'node:fs'
import {createInterface} from 'node:readline'
import {SourceMap} from 'node:module'
import path from 'node:path'
import * as esbuild from 'esbuild'
import ts from 'typescript'

const PACKAGES = path.resolve('node_modules')
const MODULES = JSON.parse(readFileSync('vendor/modules.json'))
const INSTALLED = Object.keys(JSON.parse(readFileSync('package.json')).dependencies)
const ENTRY = 'entry of the page'
const ENDINGS = ['', '.tsx', '.ts', '.jsx', '.js', '.mjs', '.vue', '.json', '.css', '.scss']
// What is none of these is TypeScript with JSX, which JavaScript is a part of.
const LOADERS = {
  '.css': 'css', '.json': 'json', '.svg': 'dataurl', '.txt': 'text', '.md': 'text', '.html': 'text',
}
// An answer has no place for pictures and often none for style sheets: without one, a page is
// still a page.
const OPTIONAL = /\.(css|scss|sass|less|svg|png|jpe?g|gif|webp|ico)$/

// TypeScript's number for "JSX expressions must have one parent element."
const NO_PARENT = 2657

const has = Object.hasOwn

/** An error of the code. */
class Mistake extends Error {
  constructor(file, line, text) {
    super(text)
    this.errors = [{file, line, text}]
  }
}

/** The name under which the files of an answer have what `from` imports as `wanted`. */
function find(files, wanted, from) {
  const folder = path.posix.dirname(from)
  const relative = wanted.replace(/^(@|~)\//, './').replace(/^\/?src\//, './')
  const exact = path.posix.normalize(path.posix.join(folder, relative)).replace(/^(\.\.\/|\/)+/, '')
  const bare = path.posix.basename(relative)
  for (const name of [exact, bare]) {
    for (const ending of ENDINGS) {
      if (has(files, name + ending)) return name + ending
      if (has(files, `${name}/index${ending}`)) return `${name}/index${ending}`
    }
  }
  // Answers name a file with more or less of its path.
  return Object.keys(files).find(name =>
    ENDINGS.some(ending => path.posix.basename(name) === bare + ending))
}

/** Bundles the files of an answer, beginning with `entry`, a module of ours. */
async function bundle(files, entry, {aliases = {}, globals = {}, load = null, elements = []}) {
  const log = new Set()
  const resolve = ({path: wanted, namespace, importer, kind}) => {
    if (wanted === ENTRY) return {path: wanted, namespace: 'entry'}
    if (has(globals, wanted)) return {path: wanted, namespace: 'globals'}
    if (namespace === 'file') return undefined // a package's style sheet and its fonts
    if (/^(https?:)?\/\/|^data:|^#/.test(wanted)) return {path: wanted, external: true}
    if (namespace === 'entry' && has(files, wanted)) return {path: wanted, namespace: 'answer'}
    if (/^(style|template):/.test(wanted) && has(files, wanted)) return {path: wanted, namespace: 'piece'}
    const name = has(aliases, wanted) ? aliases[wanted] : wanted
    if (has(MODULES, name)) {
      return {path: `/vendor/${MODULES[name].file}`, external: true, sideEffects: namespace !== 'globals'}
    }
    const found = /^([./~]|@\/|src\/)/.test(wanted) || kind === 'url-token' || kind === 'import-rule'
      ? find(files, wanted, importer) : undefined
    if (found) return {path: found, namespace: 'answer'}
    const owner = INSTALLED.find(one => wanted.startsWith(`${one}/`))
    if (owner && wanted.endsWith('.css') && !wanted.includes('..')) return {path: path.join(PACKAGES, wanted)}
    if (OPTIONAL.test(wanted) || kind === 'url-token') {
      log.add(`${importer}: ${wanted} is not in the answer and was left out`)
      return {path: wanted, namespace: 'missing'}
    }
    const text = /^([./~]|@\/)/.test(wanted)
      ? `cannot find "${wanted}": there is no such file in the answer`
      : `cannot import "${wanted}": it is not one of the installed packages`
    return {errors: [{text}]}
  }
  // What is imported and not used would go unnoticed.
  const unresolved = (name, text, before = 0) => parsed(/\.ts$/.test(name) ? name : 'a.tsx', text).statements
    .filter(one => ts.isImportDeclaration(one) && !one.importClause?.isTypeOnly)
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
      build.onLoad({filter: /.*/, namespace: 'missing'}, ({path: name}) => ({
        contents: '', loader: /\.(css|scss|sass|less)$/.test(name) ? 'css' : 'dataurl',
      }))
      build.onLoad({filter: /.*/, namespace: 'answer'}, async ({path: name}) => {
        const special = load && await load(name, unresolved)
        if (special) return special
        if (/\.(scss|sass)$/.test(name)) {
          return {contents: await sass(files[name], name), loader: name.includes('.module.') ? 'local-css' : 'css'}
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
      loader: {'.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl', '.eot': 'empty', '.svg': 'dataurl'},
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

let sassCompiler
async function sass(text, file) {
  sassCompiler ??= await import('sass')
  try {
    const syntax = file.endsWith('.sass') ? 'indented' : 'scss'
    return sassCompiler.compileString(text, {syntax, logger: sassCompiler.Logger.silent}).css
  } catch (error) {
    if (!error.sassMessage) throw error
    throw new Mistake(file, (error.span?.start.line ?? -1) + 1, `Sass: ${error.sassMessage}`)
  }
}

/** The file that begins: one that mounts, else the one by the usual name, else the last. */
function first(files, pattern, mounts, usual) {
  const names = Object.keys(files).filter(name => pattern.test(name))
  if (!names.length) throw new Mistake(Object.keys(files)[0] ?? '', 0, 'the answer has no code to run')
  return names.find(name => mounts.test(files[name])) ??
    names.find(name => usual.test(name)) ?? names.at(-1)
}

const parsed = (name, text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true,
  /x$/.test(name) ? ts.ScriptKind.TSX : ts.ScriptKind.TS)

const hasModifier = (node, kind) => node.modifiers?.some(one => one.kind === kind) ?? false

/** The names that a module declares at its top, and what it exports: [declared], Set of names. */
function topLevel(tree) {
  const declared = []
  const exported = new Set()
  for (const statement of tree.statements) {
    const names = []
    if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name) {
      names.push(statement.name.text)
    } else if (ts.isVariableStatement(statement)) {
      for (const {name} of statement.declarationList.declarations) if (ts.isIdentifier(name)) names.push(name.text)
    } else if (ts.isExportAssignment(statement)) {
      exported.add('default')
    } else if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      for (const {name} of statement.exportClause.elements) exported.add(name.text)
    }
    if (hasModifier(statement, ts.SyntaxKind.ExportKeyword)) {
      if (hasModifier(statement, ts.SyntaxKind.DefaultKeyword)) exported.add('default')
      else names.forEach(name => exported.add(name))
    }
    declared.push(...names)
  }
  return [declared, exported]
}

/** Which element the code looks for to mount into, by the usual ways to say so. */
function mountId(text, usual) {
  const ids = [...text.matchAll(/(?:getElementById\(\s*|(?:querySelector|mount|el:)\s*\(?\s*)['"`]#?([\w-]+)['"`]/g)].map(match => match[1])
  return ids.includes(usual) || !ids.length ? usual : ids[0]
}

// React ------------------------------------------------------------------------------------------

const MOUNTS_REACT = /\b(createRoot|hydrateRoot|ReactDOM\.render)\s*\(|^\s*render\s*\(\s*</m

async function react(files) {
  const name = first(files, /\.(jsx|tsx|js|ts)$/, MOUNTS_REACT, /^(.*\/)?(App|index|main)\./)
  const tree = parsed(name.replace(/\.(js|ts)$/, '.tsx'), files[name])
  const [declared, exported] = topLevel(tree)
  const last = tree.statements.at(-1)
  const components = declared.filter(one => /^\p{Lu}/u.test(one))
  let choice = exported.has('default') ? 'default'
    : exported.has('App') ? 'App' : [...exported].filter(one => /^\p{Lu}/u.test(one)).at(-1)
  if (!choice && components.length) {
    const one = components.includes('App') ? 'App' : components.at(-1)
    files = {...files, [name]: `${files[name]}\n;export {${one} as shown}`}
    choice = 'shown'
  } else if (!choice && last && ts.isExpressionStatement(last) &&
      /^Jsx/.test(ts.SyntaxKind[unwrapped(last.expression).kind])) {
    const start = last.getStart()
    files = {...files, [name]: `${files[name].slice(0, start)}export default ${files[name].slice(start)}`}
    choice = 'default'
  }
  if (!choice && !tree.parseDiagnostics.length && !MOUNTS_REACT.test(files[name])) {
    throw new Mistake(name, 0, 'the code has no component to show')
  }
  const entry = `
    import * as code from ${JSON.stringify(name)}
    import {createElement, isValidElement} from 'react'
    import {createRoot} from 'react-dom/client'
    const mounted = [...document.querySelectorAll('*')].some(
      element => Object.keys(element).some(key => key.startsWith('__reactContainer$')))
    if (!mounted) {
      const shown = code[${JSON.stringify(choice ?? 'default')}]
      if (shown === undefined) throw new Error('the code mounts nothing and has no component to show')
      createRoot(document.body.firstElementChild).render(isValidElement(shown) ? shown : createElement(shown))
    }`
  const globals = {
    React: `import * as React from 'react'; export {React}`,
    ReactDOM: `import * as old from 'react-dom'; import * as client from 'react-dom/client'
      export const ReactDOM = /* @__PURE__ */ Object.assign({}, old, client)`,
  }
  const id = mountId(Object.values(files).join('\n'), 'root')
  return bundle(files, entry, {globals, elements: [`<div id="${id}"></div>`]})
}

const unwrapped = node => ts.isParenthesizedExpression(node) ? unwrapped(node.expression) : node

/** Scripts for Babel in an HTML page: the same names, compiled and not bundled. */
async function scripts(files) {
  const made = {}
  for (const [name, text] of Object.entries(files)) {
    try {
      const {code} = await esbuild.transform(text, {
        loader: 'tsx', jsx: 'transform', target: 'es2022', charset: 'utf8', logLevel: 'silent',
        tsconfigRaw: {compilerOptions: {verbatimModuleSyntax: true, experimentalDecorators: true}},
      })
      made[name] = code
    } catch (error) {
      const {text: said, location} = error.errors[0]
      throw new Mistake(name, location?.line ?? 0, said)
    }
  }
  return {files: made, elements: [], log: []}
}

// Vue --------------------------------------------------------------------------------------------

const MOUNTS_VUE = /\bcreateApp\s*\(|\bnew\s+Vue\s*\(/

// What a project would give to a component with links to its other pages: they are all empty here.
const ANY_ROUTE = `
  const router = createRouter({history: createMemoryHistory(), routes: [{path: '/:any(.*)*', component: {render: () => null}}]})
  const {resolve} = router
  router.resolve = (to, from) => resolve(to.name ? '/' : to, from)
  app.use(router)`

async function vue(files) {
  const sfc = await import('@vue/compiler-sfc')
  sfc.registerTS(() => ts)
  files = {...files}
  const name = first(files, /\.(vue|js|ts|jsx|tsx)$/, MOUNTS_VUE, /^(.*\/)?(App|main|index)\./)
  const all = Object.values(files).join('\n')
  const second = /\bnew\s+Vue\s*\(|\bVue\.(component|use|extend|filter)\s*\(/.test(all)
  const mounts = !name.endsWith('.vue') && MOUNTS_VUE.test(files[name])
  let choice = 'default'
  if (!mounts && !name.endsWith('.vue')) {
    const [declared, exported] = topLevel(parsed(name, files[name]))
    if (!exported.has('default') && declared.length) {
      const shown = declared.includes('App') ? 'App' : declared.at(-1)
      files[name] += `\n;export {${shown} as shown}`
      choice = 'shown'
    }
  }
  const pinia = /['"]pinia['"]/.test(all)
  const routed = /['"]vue-router['"]|<(router-(link|view)|Router(Link|View))\b/.test(all)
  const mount = mounts ? '' : second
    ? `import Vue from 'vue'; new Vue({render: make => make(code[${JSON.stringify(choice)}])}).$mount('#app')`
    : `import {createApp} from 'vue'
       ${pinia ? "import {createPinia} from 'pinia'" : ''}
       ${routed ? "import {createMemoryHistory, createRouter} from 'vue-router'" : ''}
       const shown = code[${JSON.stringify(choice)}]
       if (!shown) throw new Error('the code has no component to show')
       const app = createApp(shown)
       ${pinia ? 'app.use(createPinia())' : ''}
       ${routed ? ANY_ROUTE : ''}
       app.mount('#app')`
  const entry = `import * as code from ${JSON.stringify(name)}\n${mount}`
  const globals = {Vue: second
    ? `import Vue from 'vue'; export {Vue}` : `import * as Vue from 'vue'; export {Vue}`}
  const load = async (file, unresolved) =>
    file.endsWith('.vue') ? component(sfc, files, file, unresolved) : null
  return bundle(files, entry, {
    globals, load, aliases: second ? {vue: 'vue-2'} : {},
    elements: [`<div id="${mounts ? mountId(all, 'app') : 'app'}"></div>`],
  })
}

/** A single-file component as a module, with its template and style sheets as others. */
async function component(sfc, files, file, unresolved) {
  const source = files[file]
  const id = `data-v-${hash(source)}`
  const {descriptor, errors} = sfc.parse(source, {filename: file})
  if (errors.length) throw mistakeOfVue(file, errors[0])
  const {template, styles} = descriptor
  for (const block of [template, descriptor.script, descriptor.scriptSetup, ...styles]) {
    if (block?.src) {
      const found = find(files, block.src, file)
      if (!found) throw new Mistake(file, block.loc.start.line, `cannot find "${block.src}": there is no such file in the answer`)
      block.content = files[found]
      if (block === template) block.ast = undefined
    }
  }
  const lines = []
  const language = descriptor.scriptSetup?.lang ?? descriptor.script?.lang ?? 'js'
  const scoped = styles.some(style => style.scoped)
  let bindings
  try {
    if (descriptor.script || descriptor.scriptSetup) {
      const script = sfc.compileScript(descriptor, {
        id, genDefaultAs: '__component',
        fs: {fileExists: name => has(files, name), readFile: name => files[name], realpath: name => name},
      })
      bindings = script.bindings
      lines.push(script.content, mapped(script.map))
    } else {
      lines.push('const __component = {}')
    }
  } catch (error) {
    throw mistakeOfVue(file, error)
  }
  if (template) {
    if (template.lang && template.lang !== 'html') {
      throw new Mistake(file, template.loc.start.line, `templates in ${template.lang} are not supported`)
    }
    const compiled = sfc.compileTemplate({
      source: template.content, ast: template.ast, inMap: template.map, filename: file, id, scoped,
      compilerOptions: {
        scopeId: scoped ? id : undefined, bindingMetadata: bindings,
        expressionPlugins: /^ts/.test(language) ? ['typescript'] : [],
      },
    })
    if (compiled.errors.length) throw mistakeOfVue(file, compiled.errors[0])
    files[`template:${file}`] = `${compiled.code}\n${mapped(compiled.map)}`
    lines.push(`import {render as __render} from 'template:${file}'`, '__component.render = __render')
  }
  const classes = {}
  for (const [number, style] of styles.entries()) {
    const written = /^s[ac]ss$/.test(style.lang) ? await sass(style.content, `${file}.${style.lang}`) : style.content
    const compiled = await sfc.compileStyleAsync({
      source: written, filename: file, id, scoped: style.scoped, modules: Boolean(style.module),
    })
    if (compiled.errors.length) throw mistakeOfVue(file, compiled.errors[0], style.loc.start.line - 1)
    if (style.module) classes[style.module === true ? '$style' : style.module] = compiled.modules
    files[`style:${file}:${number}`] = compiled.code
    lines.push(`import 'style:${file}:${number}'`)
  }
  if (scoped) lines.push(`__component.__scopeId = '${id}'`)
  if (Object.keys(classes).length) lines.push(`__component.__cssModules = ${JSON.stringify(classes)}`)
  lines.push(`__component.__name ??= ${JSON.stringify(path.parse(file).name)}`, 'export default __component')
  const scripts = [descriptor.script, descriptor.scriptSetup].filter(Boolean)
  return {
    contents: lines.join('\n'), loader: /x$/.test(language) ? 'tsx' : 'ts',
    errors: scripts.flatMap(block => unresolved(file, block.content, block.loc.start.line - 1)),
  }
}

const mapped = map => map
  ? `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}` : ''

const hash = text => {
  let sum = 5381
  for (let place = 0; place < text.length; place++) sum = (sum * 33 ^ text.charCodeAt(place)) >>> 0
  return sum.toString(16).padStart(8, '0')
}

function mistakeOfVue(file, error, before = 0) {
  const said = typeof error === 'string' ? error : error.message
  // Errors in a script begin with "[@vue/compiler-sfc] …" and show the place in a frame of code.
  const line = error.loc?.start?.line ?? error.loc?.line ?? error.line ??
    Number(/^\s*>?\s*(\d+)\s*\|.*\n\s*\|\s*\^/m.exec(said)?.[1] ?? /\((\d+):\d+\)/.exec(said)?.[1] ?? 0)
  const text = said.replace(/^(\[@?vue\/compiler-sfc\]|\S*?:\d+:\d+:)\s*/, '').split('\n')[0]
  return new Mistake(file, line + before, text)
}

// Angular ----------------------------------------------------------------------------------------

const OPTIONS = {
  target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, experimentalDecorators: true,
  useDefineForClassFields: false, noLib: true, inlineSourceMap: true, inlineSources: true,
  moduleResolution: ts.ModuleResolutionKind.Bundler, allowJs: true, types: [], isolatedModules: true,
}
const STARTS_ANGULAR = /\bbootstrap(Application|Module)\s*\(/
const DECORATORS = new Set(['Component', 'Directive', 'Pipe', 'NgModule', 'Injectable'])
const COMMON = {
  CommonModule: '@angular/common', FormsModule: '@angular/forms',
  ReactiveFormsModule: '@angular/forms',
}

// What a project would provide to a component: what its code imports → function, its module, argument.
const PROVIDERS = [
  ['@angular/router', 'provideRouter', '@angular/router', '[]'],
  ['@angular/common/http', 'provideHttpClient', '@angular/common/http'],
  ['@angular/animations', 'provideAnimations', '@angular/platform-browser/animations'],
]

async function angular(files) {
  const {angularJitApplicationTransform} = await import('@angular/compiler-cli')
  if (!Object.keys(files).some(name => name.endsWith('.ts'))) {
    // A template alone, whose names mean nothing.
    const template = Object.keys(files).find(name => name.endsWith('.html'))
    if (!template) throw new Mistake('', 0, 'the code has no component to show')
    files = {...files, 'app.component.ts': `import {Component} from '@angular/core'
      @Component({selector: 'app-root', templateUrl: ${JSON.stringify(`./${template}`)}}) export class AppComponent {}`}
  }
  const names = Object.keys(files).filter(name => /\.ts$/.test(name) && !/\.(spec|d)\.ts$/.test(name))
  const trees = new Map(names.map(name => [name, ts.createSourceFile(name, files[name], ts.ScriptTarget.ES2022, true)]))
  for (const [name, tree] of trees) {
    const wrong = tree.parseDiagnostics[0]
    if (wrong) throw new Mistake(name, lineOf(tree, wrong.start), ts.flattenDiagnosticMessageText(wrong.messageText, ' '))
  }
  const log = []
  const styles = await Promise.all(Object.keys(files).filter(name => /\.s[ac]ss$/.test(name))
    .map(async name => [name, await sass(files[name], name)]))
  const resources = {...files, ...Object.fromEntries(styles)}
  const classes = [...trees].flatMap(([name, tree]) => tree.statements.filter(ts.isClassDeclaration)
    .map(node => described(node, name)).filter(Boolean))
  const plan = planned(classes, Object.fromEntries(names.map(name => [name, files[name]])))
  // The answer's files with what a project around them would have; then the compiler's own steps.
  const written = {}
  for (const [name, tree] of trees) written[name] = completed(name, tree, resources, plan, log)
  const sources = new Map(names.map(name => [name, ts.createSourceFile(name, written[name], ts.ScriptTarget.ES2022, true)]))
  const made = {...files}
  const program = ts.createProgram(names, OPTIONS, {
    getSourceFile: name => sources.get(name),
    fileExists: name => sources.has(name),
    readFile: name => written[name],
    writeFile: (name, text) => { made[name.replace(/\.js$/, '.ts')] = text },
    getDefaultLibFileName: () => 'lib.d.ts',
    getCurrentDirectory: () => '', getCanonicalFileName: name => name,
    useCaseSensitiveFileNames: () => true, getNewLine: () => '\n',
    getDirectories: () => [],
    resolveModuleNameLiterals: (literals, from) => literals.map(({text}) => {
      const found = /^\./.test(text) ? find(written, text, from) : undefined
      return {resolvedModule: found && {resolvedFileName: found, extension: '.ts', isExternalLibraryImport: false}}
    }),
  })
  program.emit(undefined, undefined, undefined, false, {before: [angularJitApplicationTransform(program)]})
  const result = await bundle(made, plan.entry, {
    elements: plan.elements,
    load: (name, unresolved) => name.endsWith('.ts')
      ? {contents: made[name], loader: 'js', errors: unresolved(name, written[name])} : null,
  })
  result.log.push(...log)
  return result
}

const lineOf = (tree, position) => tree.getLineAndCharacterOfPosition(position).line + 1

const property = (object, name) => object?.properties.find(one =>
  ts.isPropertyAssignment(one) && (ts.isIdentifier(one.name) || ts.isStringLiteral(one.name)) && one.name.text === name)?.initializer

const identifiers = node => {
  const found = []
  const visit = one => { if (ts.isIdentifier(one)) found.push(one.text); ts.forEachChild(one, visit) }
  if (node) visit(node)
  return found
}

/** What Angular's decorator says of a class. */
function described(node, file) {
  for (const decorator of ts.getDecorators(node) ?? []) {
    const call = decorator.expression
    if (!ts.isCallExpression(call) || !ts.isIdentifier(call.expression)) continue
    const kind = call.expression.text
    if (!DECORATORS.has(kind) || !node.name) continue
    const about = call.arguments[0] && ts.isObjectLiteralExpression(call.arguments[0]) ? call.arguments[0] : undefined
    const selector = property(about, 'selector')
    return {
      kind, file, name: node.name.text, about,
      selector: selector && ts.isStringLiteralLike(selector) ? selector.text : undefined,
      standalone: property(about, 'standalone')?.kind,
      declarations: identifiers(property(about, 'declarations')),
      imports: identifiers(property(about, 'imports')),
      hasImports: Boolean(property(about, 'imports')),
      bootstrap: identifiers(property(about, 'bootstrap')),
    }
  }
  return undefined
}

/** How the classes of an answer go together, and what starts them. */
function planned(classes, texts) {
  const all = Object.values(texts).join('\n')
  const modules = classes.filter(one => one.kind === 'NgModule')
  const components = classes.filter(one => one.kind === 'Component')
  const shown = classes.filter(one => ['Component', 'Directive', 'Pipe'].includes(one.kind))
  const declared = new Set(modules.flatMap(one => one.declarations))
  const imported = new Set(classes.flatMap(one => one.imports))
  // Those that neither a module declares nor anything imports, and that import nothing, are
  // written for the module that Angular's own tools make: they get what it would have.
  const loose = shown.filter(one => !declared.has(one.name) && !imported.has(one.name) &&
    !one.hasImports && one.standalone !== ts.SyntaxKind.TrueKeyword)
  const started = /\b(?:bootstrapApplication)\s*\(\s*(\w+)/.exec(all)?.[1]
  const startedModule = /\bbootstrapModule\s*\(\s*(\w+)/.exec(all)?.[1]
  const used = one => components.some(other => other.name !== one.name && one.selector &&
    other.about?.getText().includes(`<${one.selector}`))
  const starting = modules.find(one => one.bootstrap.length)
  const root = components.find(one => one.name === (started ?? starting?.bootstrap[0])) ??
    components.find(one => one.selector === 'app-root' || one.name === 'AppComponent' || one.name === 'App') ??
    components.findLast(one => !used(one)) ?? components.at(-1)
  const owner = root && modules.find(one => one.declarations.includes(root.name))
  const from = one => JSON.stringify(one.file)
  const lines = [`import 'zone.js'`, `import '@angular/compiler'`]
  const files = Object.keys(texts)
  if (started || startedModule) {
    const starts = files.find(one => STARTS_ANGULAR.test(texts[one]))
    lines.push(`import ${JSON.stringify(starts)}`)
  } else if (owner) {
    const module = starting ?? owner
    lines.push(`import {platformBrowserDynamic} from '@angular/platform-browser-dynamic'`,
      `import {${module.name} as module} from ${from(module)}`,
      `platformBrowserDynamic().bootstrapModule(module)`)
  } else if (root) {
    const used = PROVIDERS.filter(([sign]) => all.includes(sign))
    lines.push(`import {bootstrapApplication} from '@angular/platform-browser'`,
      ...used.map(([, name, module]) => `import {${name}} from '${module}'`),
      `import {${root.name} as root} from ${from(root)}`,
      `bootstrapApplication(root, {providers: [${used.map(([, name, , argument = '']) => `${name}(${argument})`)}]})`)
  } else {
    throw new Mistake(classes[0]?.file ?? '', 0, 'the code has no component to show')
  }
  return {
    loose: new Set(loose.map(one => one.name)), declared,
    needsBootstrap: owner && !starting && !startedModule ? [owner.name, root.name] : [],
    entry: lines.join('\n'), elements: [hostElement(root?.selector)],
  }
}

/** An element that a selector matches. */
function hostElement(selector) {
  const one = (selector ?? 'ng-component').split(',')[0].trim()
  const tag = /^[a-zA-Z][\w-]*/.exec(one)?.[0] ?? 'div'
  const attributes = [...one.matchAll(/\[([\w-]+)(?:=['"]?([^\]'"]*)['"]?)?\]/g)].map(([, name, value]) => `${name}="${value ?? ''}"`)
  const names = [...one.matchAll(/\.([\w-]+)/g)].map(match => match[1])
  if (names.length) attributes.push(`class="${names.join(' ')}"`)
  return `<${[tag, ...attributes].join(' ')}></${tag}>`
}

/** A file's text with its templates and style sheets in it and its loose ends tied, line by line. */
function completed(name, tree, resources, plan, log) {
  const text = tree.text
  const [declared] = topLevel(tree)
  const edits = [] // [start, end, what comes there instead]
  const replace = (node, by) => edits.push([node.getStart(), node.end, by + '\n'.repeat(
    Math.max(0, lineOf(tree, node.end) - lineOf(tree, node.getStart()) - by.split('\n').length + 1))])
  const written = value => JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  const resource = (node, optional) => {
    const found = find(resources, node.text, name)
    if (found === undefined && !optional) {
      throw new Mistake(name, lineOf(tree, node.getStart()), `cannot find "${node.text}": there is no such file in the answer`)
    }
    if (found === undefined) log.push(`${name}: ${node.text} is not in the answer and was left out`)
    return written(resources[found] ?? '')
  }
  const seen = new Set()
  for (const statement of tree.statements) {
    // Files put together without their names: each brings its imports, also of the others.
    const clause = ts.isImportDeclaration(statement) ? statement.importClause : undefined
    if (clause?.namedBindings && ts.isNamedImports(clause.namedBindings)) {
      const from = statement.moduleSpecifier.text
      const isHere = /^\./.test(from) && find(resources, from, name) === undefined
      const {elements} = clause.namedBindings
      const kept = elements.filter(one => !seen.has(one.name.text) && !(isHere && declared.includes(one.name.text)))
      kept.forEach(one => seen.add(one.name.text))
      if (kept.length === elements.length) continue
      if (kept.length || clause.name) replace(clause.namedBindings, `{${kept.map(one => one.getText()).join()}}`)
      else replace(statement, '')
    }
    const about = ts.isClassDeclaration(statement) ? described(statement, name) : undefined
    if (!about) continue
    if (!hasModifier(statement, ts.SyntaxKind.ExportKeyword) || hasModifier(statement, ts.SyntaxKind.DefaultKeyword)) {
      edits.push([text.length, text.length, `\n;export {${about.name}}`])
    }
    if (!about.about) continue
    const added = []
    for (const one of about.about.properties.filter(ts.isPropertyAssignment)) {
      const key = one.name.text
      const texts = ts.isArrayLiteralExpression(one.initializer) ? [...one.initializer.elements] : [one.initializer]
      if (key === 'templateUrl' && ts.isStringLiteralLike(one.initializer)) replace(one, `template: ${resource(one.initializer, false)}`)
      if (/^styleUrls?$/.test(key)) replace(one, `styles: [${texts.filter(ts.isStringLiteralLike).map(each => resource(each, true))}]`)
      if (key === 'standalone' && plan.loose.has(about.name)) replace(one, 'standalone: true')
    }
    if (about.kind === 'Component' && plan.loose.has(about.name)) {
      const others = [...plan.loose].filter(one => one !== about.name && declared.includes(one))
      added.push(`imports: [${[...Object.keys(COMMON).map(one => `ɵ${one}`), ...others.map(one => `ɵforwardRef(() => ${one})`)]}]`)
    }
    if (plan.declared.has(about.name) && about.standalone === undefined) added.push('standalone: false')
    if (plan.needsBootstrap[0] === about.name) added.push(`bootstrap: [${plan.needsBootstrap[1]}]`)
    const {properties} = about.about
    const place = properties.length ? properties.end : about.about.getStart() + 1
    const comma = properties.length && !properties.hasTrailingComma ? ', ' : ''
    if (added.length) edits.push([place, place, comma + added.join(', ')])
  }
  if (plan.loose.size) {
    const imports = [['@angular/core', 'forwardRef'], ...Object.entries(COMMON).map(([one, module]) => [module, one])]
    edits.push([0, 0, imports.map(([module, one]) => `import {${one} as ɵ${one}} from '${module}'; `).join('')])
  }
  edits.sort((one, other) => one[0] - other[0])
  let made = ''
  let done = 0
  for (const [start, end, by] of edits) {
    made += text.slice(done, start) + by
    done = end
  }
  return made + text.slice(done)
}

// ------------------------------------------------------------------------------------------------

function locate({map, line, column}) {
  const found = new SourceMap(JSON.parse(map)).findEntry(line - 1, column - 1)
  return {file: (found.originalSource ?? '').replace(/^[a-z]+:/, ''), line: (found.originalLine ?? -1) + 1}
}

const KINDS = {react: request => react(request.files), scripts: request => scripts(request.files),
  vue: request => vue(request.files), angular: request => angular(request.files), locate}

async function answer(request) {
  try {
    return await KINDS[request.kind](request)
  } catch (error) {
    if (error.errors) return {errors: error.errors}
    if (error instanceof RangeError) return {errors: [{file: '', line: 0, text: `the compiler gave up: ${error.message}`}]}
    throw error
  }
}

// What is loaded before the first request does not count as its time.
const WARM = {
  react: {'App.jsx': 'export default () => <p>ready</p>'},
  vue: {'App.vue': '<script setup lang="ts">const a: number = 1</script><template><p>{{ a }}</p></template>'},
  angular: {'app.ts': `import {Component} from '@angular/core'\n@Component({template: ''}) export class App {}`},
}
const kind = process.argv[2]
await answer({kind, files: WARM[kind]})
process.stdout.write('ready\n')
for await (const line of createInterface({input: process.stdin})) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`)
}
