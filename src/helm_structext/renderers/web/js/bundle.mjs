// Makes `vendor/`: one module file for each package that a completion may import, and what several
// share in files of its own, so that a page has one React and one Vue. `modules.json` says which
// file a module is in and what it exports. Run by `helm-structext setup`, after npm.

import {readFile, writeFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {transformAsync} from '@babel/core'
import {ConsoleLogger, LogLevel, NodeJSFileSystem} from '@angular/compiler-cli'
import {createEs2015LinkerPlugin} from '@angular/compiler-cli/linker/babel'
import {build} from 'esbuild'

const MODULES = [
  'react', 'react/jsx-runtime', 'react/jsx-dev-runtime', 'react-dom', 'react-dom/client',
  '@emotion/react', '@emotion/react/jsx-runtime', '@emotion/styled', 'framer-motion',
  'lucide-react', 'prop-types', 'react-bootstrap', 'react-chartjs-2', 'react-markdown',
  'react-router-dom', 'recharts', 'remark-gfm', 'styled-components',
  'vue', 'vue-2', 'vue-router', 'pinia', 'vuex', 'vue-chartjs',
  '@angular/animations', '@angular/common', '@angular/common/http', '@angular/compiler',
  '@angular/core', '@angular/core/rxjs-interop', '@angular/forms', '@angular/platform-browser',
  '@angular/platform-browser/animations', '@angular/platform-browser-dynamic', '@angular/router',
  'rxjs', 'rxjs/operators', 'tslib', 'zone.js',
  'axios', 'chart.js', 'chart.js/auto', 'classnames', 'clsx', 'd3', 'dayjs', 'jquery', 'lodash',
  'marked', 'mermaid', 'moment', 'uuid',
]

const OPTIONS = {
  bundle: true, format: 'esm', metafile: true, platform: 'browser', target: 'es2022',
  mainFields: ['module', 'browser', 'main'], logLevel: 'error',
  // The builds that have a compiler for templates in them.
  alias: {vue: 'vue/dist/vue.esm-bundler.js', 'vue-2': 'vue-2/dist/vue.esm.js'},
  define: {
    // Messages for people, not numbers.
    'process.env.NODE_ENV': '"development"', ngDevMode: 'true',
    __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
}

const require = createRequire(import.meta.url)
const fileName = name => name.replace('@', '').replaceAll('/', '-')

/** A module that exports all that a package does. */
async function entry(name) {
  const from = JSON.stringify(name)
  const probe = await build({...OPTIONS, entryPoints: [name], outdir: 'probe', write: false})
  const {exports} = Object.values(probe.metafile.outputs).find(output => output.entryPoint)
  if (!exports.length) return `import ${from}`
  if (exports.join() !== 'default') {
    return `export * from ${from};${exports.includes('default') ? `export {default} from ${from}` : ''}`
  }
  // Modules in the old style name nothing in advance: their names are found by running them.
  const names = Object.keys(require(name)).filter(key => /^[\w$]+$/.test(key) && !/^(default|__esModule)$/.test(key))
  return `import all from ${from}; export default all; export const {${names.join()}} = all`
}

const linker = createEs2015LinkerPlugin({
  fileSystem: new NodeJSFileSystem(), logger: new ConsoleLogger(LogLevel.warn), linkerJitMode: true,
})
const plugin = {
  name: 'entries',
  setup(build) {
    build.onResolve({filter: /^entry:/}, ({path}) => ({path: path.slice(6), namespace: 'entry'}))
    build.onLoad({filter: /.*/, namespace: 'entry'}, async ({path}) => ({
      contents: await entry(path), resolveDir: '.',
    }))
    // Angular's packages come half compiled. The rest is done here, once, and not in each page.
    build.onLoad({filter: /@angular.*\.mjs$/}, async ({path}) => {
      const code = await readFile(path, 'utf8')
      if (!code.includes('ɵɵngDeclare')) return {contents: code}
      const linked = await transformAsync(code, {
        filename: path, plugins: [linker], compact: false, babelrc: false, configFile: false,
      })
      return {contents: linked.code}
    })
  },
}

const {metafile} = await build({
  ...OPTIONS, plugins: [plugin], outdir: 'vendor', splitting: true, legalComments: 'none',
  minifySyntax: true, minifyWhitespace: true,
  entryPoints: MODULES.map(name => ({in: `entry:${name}`, out: fileName(name)})),
})
const modules = MODULES.map(name => {
  const file = `${fileName(name)}.js`
  return [name, {file, names: metafile.outputs[`vendor/${file}`].exports}]
})
await writeFile('vendor/modules.json', JSON.stringify(Object.fromEntries(modules)))
