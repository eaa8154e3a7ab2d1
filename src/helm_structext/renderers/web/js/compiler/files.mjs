// The files of an answer, and those of the installed packages that it may use.

import {readFileSync, realpathSync} from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const PACKAGES = path.resolve('node_modules')
const INSTALLED = Object.keys(JSON.parse(readFileSync('package.json')).dependencies)
const ENDINGS = ['', '.tsx', '.ts', '.jsx', '.js', '.mjs', '.vue', '.json', '.css', '.scss', '.sass', '.less']

export const has = Object.hasOwn

/** An error of the code. */
export class Mistake extends Error {
  constructor(file, line, text) {
    super(text)
    this.errors = [{file, line, text}]
  }
}

/** The name under which the files of an answer have what `from` imports as `wanted`. */
export function find(files, wanted, from) {
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

/** The style sheet of an answer that another means by `wanted`, with Sass's own ways to name it. */
export function sheet(files, wanted, from) {
  const {dir, base} = path.posix.parse(wanted)
  const names = [wanted, path.posix.join(dir, `_${base}`), path.posix.join(wanted, '_index')]
  for (const name of names) {
    const found = find(files, /^[.~@]/.test(name) ? name : `./${name}`, from)
    if (found !== undefined && /\.(scss|sass|css)$/.test(found)) return found
  }
  return undefined
}

/** The file of the installed packages that has a name; none where it leads out of them. */
export function packaged(name) {
  const plain = name.split('/').every(part => /^[\w@+.-]+$/.test(part) && !/^\.+$/.test(part))
  if (!plain || !INSTALLED.some(one => name.startsWith(`${one}/`))) return undefined
  try {
    const file = realpathSync(path.join(PACKAGES, name))
    return file.startsWith(`${realpathSync(PACKAGES)}/`) ? path.join(PACKAGES, name) : undefined
  } catch {
    return undefined
  }
}

/** The file that begins: one that mounts, else the one by the usual name, else the last that no other imports. */
export function first(files, pattern, mounts, usual) {
  const names = Object.keys(files).filter(name => pattern.test(name))
  if (!names.length) throw new Mistake(Object.keys(files)[0] ?? '', 0, 'the answer has no code to run')
  if (names.length === 1) return names[0]
  const imported = new Set(names.flatMap(name => imports(files[name]).map(wanted => find(files, wanted, name))))
  return names.find(name => mounts(name)) ?? names.find(name => usual.test(name)) ??
    names.findLast(name => !imported.has(name)) ?? names.at(-1)
}

/** Which files a script imports by their path; of a component of Vue, its script. */
const imports = text => ts.preProcessFile(text.slice(Math.max(0, text.search(/<script\b/i)))).importedFiles
  .map(one => one.fileName).filter(name => /^([./~]|@\/)/.test(name))
