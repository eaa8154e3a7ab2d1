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

export const unwrapped = node => ts.isParenthesizedExpression(node) ? unwrapped(node.expression) : node
