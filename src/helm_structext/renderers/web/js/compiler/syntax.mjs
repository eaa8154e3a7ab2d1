// What the parser of TypeScript says of a file.

import ts from 'typescript'

export const parsed = (name, text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true,
  /x$/.test(name) ? ts.ScriptKind.TSX : ts.ScriptKind.TS)

export const hasModifier = (node, kind) => node.modifiers?.some(one => one.kind === kind) ?? false

/** The names that a module declares at its top, and what it exports: [declared], Set of names. */
export function topLevel(tree) {
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

export const lineOf = (tree, position) => tree.getLineAndCharacterOfPosition(position).line + 1

/** An expression without what says nothing of its value: `(a)`, `a!`, `a as B`, `a ?? b`. */
export function unwrapped(node) {
  for (;;) {
    if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)) node = node.expression
    else if (ts.isBinaryExpression(node) && /^(\?\?|\|\|)$/.test(node.operatorToken.getText())) node = node.left
    else return node
  }
}

/** A node and all below it, the outer ones first. */
export function nodes(tree) {
  const found = [tree]
  for (const node of found) ts.forEachChild(node, child => { found.push(child) })
  return found
}

/** What is called or made: `c` of `a.b.c()`, and `a.b` before it. */
export function callee(node) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return ['', '']
  const {expression} = node
  return ts.isPropertyAccessExpression(expression)
    ? [expression.name.text, expression.expression.getText()] : [ts.isIdentifier(expression) ? expression.text : '', '']
}

const isDeclaration = node => ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isVariableDeclaration(node)

/** What statements declare: [name, node], of variables each of its own. */
export const declarations = statements => statements
  .flatMap(one => ts.isVariableStatement(one) ? [...one.declarationList.declarations] : [one])
  .filter(one => isDeclaration(one) && one.name && ts.isIdentifier(one.name)).map(one => [one.name.text, one])

/** The names of declarations that no other of them uses. What a page begins with is one of these. */
export function unused(declared) {
  const used = new Set(declared.flatMap(([own, node]) => nodes(node)
    .filter(one => ts.isIdentifier(one) && one.text !== own && !isKey(one)).map(one => one.text)))
  return declared.map(([name]) => name).filter(name => !used.has(name))
}

const isKey = ({parent, pos}) => (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) &&
  parent.name.pos === pos

/**
 * Selectors of the elements that code mounts into. `place` says of a call which expression that is; where it
 * is a name, it is what the file gives to that name.
 */
export function mountSelectors(tree, place) {
  const all = nodes(tree)
  const values = new Map(all.filter(one => ts.isVariableDeclaration(one) && one.initializer && ts.isIdentifier(one.name))
    .map(one => [one.name.text, one.initializer]))
  const selector = node => {
    let one = node && unwrapped(node)
    if (one && ts.isIdentifier(one)) one = values.has(one.text) ? unwrapped(values.get(one.text)) : undefined
    if (!one) return []
    if (ts.isStringLiteralLike(one)) return [one.text]
    const [name] = callee(one)
    const [wanted] = ts.isCallExpression(one) ? one.arguments : []
    if (!wanted || !ts.isStringLiteralLike(wanted)) return []
    return name === 'getElementById' ? [`#${wanted.text}`] : name === 'querySelector' ? [wanted.text] : []
  }
  return all.flatMap(one => selector(place(one)))
}

/** An element that a selector matches. */
export function hostElement(selector) {
  const one = selector.split(',')[0].trim().split(/[\s>+~]+/).at(-1)
  const tag = /^[a-zA-Z][\w-]*/.exec(one)?.[0] ?? 'div'
  const attributes = [...one.matchAll(/\[([\w-]+)(?:=['"]?([^\]'"]*)['"]?)?\]/g)].map(([, name, value]) => `${name}="${value ?? ''}"`)
  const plain = one.replace(/\[[^\]]*\]/g, '')
  const names = [...plain.matchAll(/\.([\w-]+)/g)].map(match => match[1])
  const id = /#([\w-]+)/.exec(plain)?.[1]
  if (names.length) attributes.push(`class="${names.join(' ')}"`)
  if (id) attributes.push(`id="${id}"`)
  return `<${[tag, ...attributes].join(' ')}></${tag}>`
}

/** The elements of a page whose code mounts into what these selectors match, else the usual one. */
export function hosts(selectors, usual) {
  const places = selectors.filter(one => /^[\w.#[\]='"-]+$/.test(one) && !/^(body|html|head)\b/.test(one))
  return [...new Set(places.length ? places : [usual])].map(hostElement)
}
