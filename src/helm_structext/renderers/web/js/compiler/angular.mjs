// Angular: classes with decorators, which get what a project around them would have.

import ts from 'typescript'
import {bundle} from './bundling.mjs'
import {css} from './css.mjs'
import {Mistake, find} from './files.mjs'
import {callee, declarations, hasModifier, hostElement, lineOf, nodes, topLevel, unused} from './syntax.mjs'

const OPTIONS = {
  target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, experimentalDecorators: true,
  useDefineForClassFields: false, noLib: true, inlineSourceMap: true, inlineSources: true,
  moduleResolution: ts.ModuleResolutionKind.Bundler, allowJs: true, types: [], isolatedModules: true,
}
// What only a component has that another one opens: a dialog, a sheet, a message.
const OPENED = /^(MAT_DIALOG_DATA|MAT_BOTTOM_SHEET_DATA|MAT_SNACK_BAR_DATA|DIALOG_DATA|(Mat)?DialogRef|MatBottomSheetRef|MatSnackBarRef)$/
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

// What Angular's tools add to a project with a package: the package → style sheets.
const SHEETS = [
  ['@angular/material', [
    '@fontsource/roboto/300.css', '@fontsource/roboto/400.css', '@fontsource/roboto/500.css',
    'material-icons/iconfont/material-icons.css', '@angular/material/prebuilt-themes/azure-blue.css',
  ]],
]

export async function angular(files) {
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
  const styles = Object.keys(files).filter(name => /\.(s[ac]ss|less)$/.test(name))
    .map(name => [name, css(files[name], name, files)])
  const resources = {...files, ...Object.fromEntries(styles)}
  const classes = [...trees].flatMap(([name, tree]) => tree.statements.filter(ts.isClassDeclaration)
    .map(node => described(node, name)).filter(Boolean))
  const plan = planned(classes, trees, files)
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
      kind, file, node, name: node.name.text, about,
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
function planned(classes, trees, files) {
  const all = [...trees.values()].map(tree => tree.text).join('\n')
  const modules = classes.filter(one => one.kind === 'NgModule')
  const shown = classes.filter(one => ['Component', 'Directive', 'Pipe'].includes(one.kind))
  const declared = new Set(modules.flatMap(one => one.declarations))
  const imported = new Set(classes.flatMap(one => one.imports))
  // Those that neither a module declares nor anything imports, and that import nothing, are
  // written for the module that Angular's own tools make: they get what it would have.
  const loose = shown.filter(one => !declared.has(one.name) && !imported.has(one.name) &&
    !one.hasImports && one.standalone !== ts.SyntaxKind.TrueKeyword)
  const starting = modules.find(one => one.bootstrap.length)
  const [starts, started] = startOf(trees)
  const root = rootOf(classes, trees, files, [started, starting?.bootstrap[0]])
  const owner = root && modules.find(one => one.declarations.includes(root.name))
  const from = one => JSON.stringify(one.file)
  const lines = [`import 'zone.js'`, `import '@angular/compiler'`]
  lines.push(...SHEETS.filter(([sign]) => all.includes(sign)).flatMap(([, sheets]) => sheets.map(one => `import '${one}'`)))
  if (starts) {
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
    needsBootstrap: owner && !starting && !starts ? [owner.name, root.name] : [],
    entry: lines.join('\n'), elements: [hostElement(root?.selector ?? 'ng-component')],
  }
}

/** The file that starts Angular itself, and the class that it starts with. */
function startOf(trees) {
  for (const [file, tree] of trees) {
    if (!/\bbootstrap(Application|Module)\b/.test(tree.text)) continue
    const call = nodes(tree).find(one => /^bootstrap(Application|Module)$/.test(callee(one)[0]))
    if (call) return [file, call.arguments[0]?.getText()]
  }
  return []
}

/** The component that the page shows: what starts it, or the usual name, or one that no other uses. */
function rootOf(classes, trees, files, started) {
  const components = classes.filter(one => one.kind === 'Component')
  if (components.length < 2) return components[0]
  const modules = new Set(classes.filter(one => one.kind === 'NgModule').map(one => one.name))
  const declared = [...trees.values()].flatMap(tree => declarations(tree.statements)).filter(([name]) => !modules.has(name))
  const free = new Set(unused(declared))
  const template = ({about, file}) => {
    const url = property(about, 'templateUrl')
    const inline = property(about, 'template')?.getText() ?? ''
    return url && ts.isStringLiteralLike(url) ? files[find(files, url.text, file)] ?? '' : inline
  }
  const shows = components.map(one => [one, elementNames(template(one))])
  const isInside = one => shows.some(([other, names]) => other !== one && one.selector?.split(',')
    .some(each => names.has(/\[[\w-]+|^[\w-]+/.exec(each.trim().replace(/^[\w-]+(?=\[)/, ''))?.[0])))
  const isOpened = ({node}) => nodes(node).some(one => ts.isIdentifier(one) && OPENED.test(one.text))
  const isUsual = one => one.selector === 'app-root' || /^App(Component)?$/.test(one.name)
  const alone = components.filter(one => !isOpened(one) && !isInside(one))
  return components.find(one => started.includes(one.name)) ?? components.find(isUsual) ??
    alone.findLast(one => free.has(one.name)) ?? alone.at(-1) ??
    components.findLast(one => !isInside(one)) ?? components.at(-1)
}

/** What a template names as an element (`a`), and what it may as an attribute (`[a`). */
const elementNames = template => new Set((template.match(/[<\s][\w-]+/g) ?? [])
  .map(one => one.replace('<', '').replace(/^\s/, '[')))

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
