// Files of packages that nobody asks for: those that are not even unpacked (`install.mjs`), and those that
// are of no use once the modules are bundled (`bundle.mjs`).

import {existsSync, readdirSync, unlinkSync} from 'node:fs'

// Types, maps, and texts for people. The compiler reads TypeScript's own sources.
const FOR_PEOPLE = /\.(flow|md|map|d\.[cm]?ts)$|^(?!typescript\/).*\.[cm]?ts$/

const oneOf = patterns => new RegExp(`^(${patterns.join('|')})`)

// Other builds, sources, documents, which neither pages ask for nor bundles.
const UNREAD = oneOf([
  '@angular/common/locales/', '@tabler/icons-webfont/node_modules/', 'caniuse-lite/data/(features|regions)/',
  '@stencil/', '@tabler/icons/', 'sass-embedded', '(@[^/]+/)?[^/]+/(\\.github|docs|test|tests)/',
  '@fontsource[^/]*/[^/]+/(scss|LICENSE|README|CHANGELOG|metadata|unicode|files/.*\\.woff$)',
  '@fontsource-variable/[^/]+/(files/.*-)?(soft|wonk|standard)',
  '@phosphor-icons/web/.*selection\\.json', '@tabler/icons-webfont/.*\\.(html|scss)',
  'boxicons/(node_modules|svg|src|iconjar)/', 'cannon/(images|libs|tools|demos)/', 'codemirror-5/src/',
  'devicon/(?!devicon|package|fonts/|icons/.*\\.svg)', 'fomantic-ui-css/(components|types)/', 'foundation-sites/(js|scss|customizer)/',
  'ionicons/(dist/(cheatsheet|collection|svg|types|esm-es5|esm/|cjs/|.*symbols)|icons|components)',
  'jsxgraph/(src|examples|distrib/docs)', 'line-awesome/svg/', 'lottie-web/(player|demo|docs)/',
  'phaser/(types|plugins|src)/', 'phaser/dist/phaser-', 'pixi\\.js/transcoders/', 'remixicon/icons/',
  'sql\\.js/(dist/(.*debug|.*\\.zip|.*asm-memory)|\\.devcontainer)', 'rxjs/(src|dist/(cjs|types))/',
  'three-global/(src|examples/jsm)/', 'vuetify-2/(es5|lib|src)/', 'tailwindcss-2/(?!dist/tailwind\\.|package)',
])

// What only bundles ask for.
const BUNDLED = oneOf([
  'canvas/', 'jsdom/', // What libraries draw with that are read outside of a page.
  'date-fns/(?!package|cdn|locale/([^/]+/)?cdn)', '@mui/(?!material/(umd/|package))', 'es-toolkit/', 'core-js/', 'standardized-audio-context/',
  'echarts/(lib|types|ssr|theme/tool|dist/echarts\\.(common|simple|esm)[^/]*\\.m?js)', 'fabric[^/]*/(src|dist/src|dist-extensions)/',
  'lucide(-react)?/dist/(esm|cjs)/', 'mathjs/(lib/(esm|cjs)|types)/', 'motion/node_modules/', 'pixi\\.js/lib/', '@pixi/',
  'rxjs/dist/esm5/', 'vega[^/]*/(src|build/src|build-es5|node_modules)/', 'vexflow/(build/(esm|cjs|types)|src)/',
  'vis-(network|data|util)/(peer|esnext|declarations|dist/types|docs|examples)',
])

const FONT = /\.(eot|svg|ttf|woff)$/
// What pages still ask for of packages that are bundled.
const IS_ASKED_FOR = /(\.(css|woff2?|ttf|png|gif)|\.min\.js|\/package\.json)$/

/** Whether neither a page nor a bundle asks for a file, by its path below `node_modules`. */
export const isUnread = file => FOR_PEOPLE.test(file) || UNREAD.test(file)

/** Removes what is of no use, files of packages that only their bundled modules are asked for, and other formats of the fonts that there are as WOFF2. */
export function removeUnused(bundledOnly) {
  const ofBundled = file => bundledOnly.some(name => file.startsWith(`${name}/`))
  for (const one of readdirSync('node_modules', {recursive: true, withFileTypes: true})) {
    if (!one.isFile()) continue
    const path = `${one.parentPath ?? one.path}/${one.name}`
    const file = path.slice('node_modules/'.length)
    const font = FONT.test(file) && existsSync(path.replace(FONT, '.woff2'))
    if (font || isUnread(file) || BUNDLED.test(file) || (ofBundled(file) && !IS_ASKED_FOR.test(file))) unlinkSync(path)
  }
}
