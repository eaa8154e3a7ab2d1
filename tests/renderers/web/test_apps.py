"""What components of React, Vue and Angular find around them: packages, Tailwind, two releases of React."""

import re

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.renderers.web.frameworks import tailwind, uses_tailwind
from helm_structext.renderers.web.javascript import JS, compile_answer
from helm_structext.sandbox import Limits

TEAL, RED = (0, 128, 128), (239, 68, 68)


def colors(image):
    return {color for count, color in image.getcolors(image.width * image.height) if count > 50}


def imports(kind, name, wanted):
    """The compiled script of a component that uses a package."""
    files = {
        "react": {"App.jsx": f"{wanted}\nexport default () => <p>{{String({name})}}</p>"},
        "vue": {
            "App.vue": f"<script setup>{wanted}\nvoid {name}</script><template><p/></template>"
        },
        "angular": {
            "app.component.ts": "import {Component} from '@angular/core'\n"
            f"{wanted}\n@Component({{template: ''}}) export class App {{ a = {name} }}"
        },
    }[kind]
    return compile_answer(kind, files, Limits(memory=2048, processes=64)).files["index.js"]


IMPORTS = {
    "react": """antd:Button @chakra-ui/react:Box @headlessui/react:Dialog @heroicons/react/24/outline:HomeIcon @radix-ui/react-dialog:Root
        radix-ui:Dialog zustand:create zustand/middleware:persist jotai:atom swr:default @tanstack/react-query:useQuery
        @tanstack/react-table:useReactTable class-variance-authority:cva tailwind-merge:twMerge motion/react:motion
        @xyflow/react:ReactFlow @react-three/fiber:Canvas @react-three/drei:OrbitControls sonner:toast cmdk:Command vaul:Drawer
        react-hot-toast:default react-toastify:toast @dnd-kit/core:DndContext @hello-pangea/dnd:Draggable
        react-beautiful-dnd:Draggable papaparse:default mathjs:evaluate lodash-es:debounce lodash/debounce:default
        nanoid:nanoid d3-scale:scaleLinear @nivo/bar:ResponsiveBar formik:useFormik yup:object react-select:default
        next/link:default next/image:default next/navigation:useRouter next/font/google:Space_Grotesk react-router:Link
        react-countup:useCountUp react-katex:BlockMath echarts-for-react:default @tabler/icons-react:IconHome""",
    "vue": """@vueuse/core:useMouse vue-i18n:useI18n vee-validate:useForm element-plus:ElButton @element-plus/icons-vue:Edit
        lucide-vue-next:Home @heroicons/vue/24/solid:HomeIcon naive-ui:NButton quasar:QBtn primevue/button:default
        ant-design-vue:Button vue-echarts:default lodash-es:debounce vuedraggable:default reka-ui:DialogRoot""",
    "angular": """primeng/button:ButtonModule ng2-charts:BaseChartDirective ngx-echarts:NgxEchartsDirective
        @fortawesome/angular-fontawesome:FaIconComponent lucide-angular:LucideAngularModule @ngrx/signals:signalStore""",
}


@pytest.mark.parametrize("kind", IMPORTS)
def test_packages_are_there_with_their_names(kind):
    parts = [one.rpartition(":")[::2] for one in IMPORTS[kind].split()]
    wanted = "\n".join(
        f"import {{{name} as a{n}}} from '{module}'" for n, (module, name) in enumerate(parts)
    )
    script = imports(kind, f"[{', '.join(f'a{n}' for n in range(len(parts)))}]", wanted)
    assert script.count("http://packages.localhost/") >= len(parts)
    # A name that a module lacks would stop the page: it is asked for in one that runs.
    checks = "".join(f"['{module}:{name}', a{n}]," for n, (module, name) in enumerate(parts))
    code = f"{wanted}\nconst all = [{checks}]\nexport default () => <p>{{all.filter(([, one]) => !one).map(([name]) => name).join(' ')}}.</p>"
    assert render("react", code).text == "."


KIT = """import {{{names}}} from '@/components/ui/card'
import {{Button}} from "./components/ui/button.jsx"
import {{Slider}} from '~/components/ui/slider'
import {{cn}} from '@/lib/utils'
export default () => <Card className={{cn('w-96', 'w-48')}}><CardHeader><CardTitle>Title</CardTitle></CardHeader>
  <Button variant="destructive">Stop</Button><Slider defaultValue={{[40]}}/><div className="bg-[#008080] h-9"/></Card>"""
KIT = KIT.format(names="Card, CardHeader, CardTitle")


def test_components_of_shadcn_are_there_and_have_their_styles_in_corrected():
    corrected, published = (
        render("react", KIT, protocol=one) for one in ("corrected", "published")
    )
    assert corrected.text.split() == published.text.split() == ["Title", "Stop"]
    assert {TEAL, RED} <= colors(corrected.image)
    assert not {TEAL, RED} & colors(published.image)


def test_every_component_of_shadcn_can_be_imported():
    bundle = (JS / "bundle.mjs").read_text()
    table = bundle[bundle.index("const UI =") : bundle.index("const REACT_LIBRARIES")]
    names = set(re.findall(r"'([\w-]+)'", table))
    lines = "".join(
        f"import * as n{n} from '@/components/ui/{name}';" for n, name in enumerate(sorted(names))
    )
    code = f"{lines} export default () => <p>{{[{','.join(f'Object.keys(n{n}).length' for n in range(len(names)))}].filter(n => n).length}}</p>"
    assert render("react", code).text == str(len(names))


def test_files_of_the_answer_come_before_those_of_shadcn():
    code = (
        "// App.jsx\nimport {Button} from '@/components/ui/button'\nexport default () => <Button/>\n"
        "// components/ui/button.jsx\nexport const Button = () => <b>own</b>"
    )
    assert render("react", code).text == "own"


NEW = [
    "import {useActionState, version} from 'react'; export default () => <p>{version}</p>",
    "import {useFormStatus} from 'react-dom'; export default () => <p>{React.version}</p>",
    "const In = ({ref, ...rest}) => <input ref={ref} {...rest}/>; export default () => <p>{React.version}<In/></p>",
    "const C = React.createContext(); export default () => <C value={1}><p>{React.version}</p></C>",
    "// package.json\n{\"dependencies\": {\"react\": \"^19.0.0\"}}\n// App.jsx\nexport default () => <p>{React.version}</p>",
]  # fmt: skip


@pytest.mark.parametrize("code", NEW)
def test_code_for_react_19_gets_it(code):
    assert render("react", code).text.startswith("19.")


ONE_OF_EACH = [
    "import L from 'leaflet'; import {MapContainer} from 'react-leaflet'\n"
    "export default () => { const [is, set] = React.useState('')\n"
    "return <><p>{is}</p><MapContainer center={[1, 1]} zoom={3} ref={map => map && set(String(map instanceof L.Map))}/></> }",
    "import dayjs from 'dayjs'; import {DatePicker} from 'antd'; let is = ''\n"
    "export default () => { const [said, say] = React.useState(''); React.useEffect(() => say(is), [])\n"
    "return <><p>{said}</p><DatePicker open disabledDate={day => { is = String(day instanceof dayjs) }}/></> }",
]


@pytest.mark.parametrize("code", ONE_OF_EACH)
def test_a_page_has_one_of_each_library_that_others_use(code):
    assert "true" in render("react", code).text


def test_a_page_has_one_react():
    code = (
        "import {use, version} from 'react'; import {LineChart, Line} from 'recharts'; import {create} from 'zustand'\n"
        "import * as Dialog from '@radix-ui/react-dialog'; const useStore = create(() => ({a: 1}))\n"
        "const C = React.createContext('c'); const P = () => <p>{use(C)}{useStore(s => s.a)}{version.slice(0, 2)}</p>\n"
        "export default () => <><P/><LineChart width={90} height={90} data={[{v: 1}, {v: 2}]}><Line dataKey='v'/></LineChart>"
        "<Dialog.Root open><Dialog.Portal><Dialog.Content><Dialog.Title>d</Dialog.Title></Dialog.Content></Dialog.Portal></Dialog.Root></>"
    )
    assert render("react", code).text.split() == ["c119", "d"]
    old = code.replace("import {use, version}", "import {useContext as use, version}")
    assert render("react", old).text.split() == ["c118", "d"]


def test_links_have_a_router_around_them():
    code = "import {Link, useLocation} from 'react-router-dom'; export default () => <Link to='/a'>{useLocation().pathname}</Link>"
    assert render("react", code).text == "/"
    assert render("react", code.replace("export default () => ", "const A = () => ")
                  + "\nimport {BrowserRouter} from 'react-router-dom'; export default () => <BrowserRouter><A/></BrowserRouter>").text == "/"  # fmt: skip


CLASSES = "<div class{0}='p-4 text-sm rounded-lg bg-red-500'>x</div>"
TAILWIND = {
    "react": f"export default () => {CLASSES.format('Name')}",
    "vue": f"<template>{CLASSES.format('')}</template>",
    "angular": "import {Component} from '@angular/core'\n"
    f"@Component({{template: `{CLASSES.format('')}`}}) export class App {{}}",
}


@pytest.mark.parametrize("kind", TAILWIND)
def test_classes_of_tailwind_have_styles_in_corrected_alone(kind):
    assert RED in colors(render(kind, TAILWIND[kind], protocol="corrected").image)
    assert RED not in colors(render(kind, TAILWIND[kind], protocol="published").image)


STYLES = {
    "3": "@tailwind base;\n@tailwind utilities;\n.box { @apply bg-red-500 h-9 }",
    "3, imported": "@import 'tailwindcss/base';\n@import 'tailwindcss/utilities';\n.box { @apply bg-red-500 h-9 }",
    "4": '@import "tailwindcss";\n@theme { --color-brand: rgb(239 68 68) }\n.box { @apply bg-brand h-9 }',
}


@pytest.mark.parametrize("release", STYLES)
def test_styles_that_are_written_for_tailwind_get_their_release(release):
    code = (
        "// App.jsx\nimport './a.css'\nexport default () => <div className='p-4 text-sm rounded-lg'><div className='box'/></div>\n"
        f"/* a.css */\n{STYLES[release]}"
    )
    rendered = render("react", code, protocol="corrected")
    assert RED in colors(rendered.image)
    assert rendered.missing == ()


def test_a_page_with_styles_of_its_own_gets_no_others():
    for code in (
        "<p className='card title'/>",
        "import 'bootstrap/dist/css/bootstrap.min.css'; <p className='p-4 gap-2 mb-3 rounded-lg'/>",
        "<p className='p-4 gap-2 mb-3'/> const css = `.p-4 {} .gap-2 {} .mb-3 {}`",
        " ".join(f"'grid-cols-{number}'" for number in range(100, 20_000)),
        "",
    ):
        assert not uses_tailwind(code)
    assert "</style><script>alert" not in tailwind(
        "", "a{content:'</style><script>alert(1)'} @apply"
    )


def test_less_is_compiled_and_finds_files_of_the_answer_alone():
    component = "<template><div class='a'>x</div></template>\n<style lang='less'>{}</style>"
    nested = "@c: teal; .a { height: 90px; &:extend(.b); background: @c } .b { color: red }"
    assert TEAL in colors(render("vue", component.format(nested)).image)
    elsewhere = '@import url("https://fonts.googleapis.com/css2?family=Inter");\n@import "https://example.com/a";\n'
    rendered = render("vue", component.format(elsewhere + nested))
    assert TEAL in colors(rendered.image)
    assert [one.address for one in rendered.missing] == ["https://example.com/a"]
    for wrong, message in {
        "@import '/etc/passwd';": "is not in the answer",
        "@plugin 'fs'; .a { width: 1px }": "plugin",
        ".a { width: `process.exit()` }": "JavaScript",
        ".a { color: @missing }": "missing",
    }.items():
        with pytest.raises(RenderError, match=f"(?i)App.vue.*{message}") as caught:
            render("vue", component.format(wrong))
        assert caught.value.kind == "syntax"
    with pytest.raises(RenderError, match="stylus are not supported"):
        render("vue", component.format("a").replace("less", "stylus"))


UI_OF_VUE = {
    "element-plus": "<el-button type='primary'>x</el-button>",
    "naive-ui": "<n-button type='primary'>x</n-button>",
    "quasar": "<q-btn color='primary' label='x'/>",
    "ant-design-vue": "<a-button type='primary'>x</a-button>",
}


@pytest.mark.parametrize("name", UI_OF_VUE)
def test_components_of_vue_that_a_project_registers(name):
    rendered = render("vue", f"<template>{UI_OF_VUE[name]}</template>")
    assert "Failed to resolve component" not in rendered.log
    assert rendered.text.lower() == "x"
    assert len(colors(rendered.image)) > 2
