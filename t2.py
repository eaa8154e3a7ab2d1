import typst, pypdfium2.raw as p, time, ctypes
src="""#set page(width: 450pt, height: 300pt, margin: 0pt, fill: white)
#place(rect(width: 450pt, height: 275pt, fill: gradient.linear(red, blue, angle: 90deg, space: rgb)))
#place(rect(width: 45pt, height: 25pt, fill: white, stroke: gradient.linear(red, blue)))
#place(dx: 71pt, dy: 35pt, circle(radius: 64pt, fill: white))
#place(dx: 20pt, dy: 200pt, circle(radius: 20pt, fill: gradient.radial(white, yellow)))
#place(dx: 20pt, dy: 200pt, circle(radius: 20pt, fill: tiling(size: (5pt,5pt))[#circle(radius:2pt,fill:red)]))
"""
d=typst.compile(src.encode()) if False else None
open("t2.typ","w").write(src); data=typst.compile("t2.typ")
p.FPDF_InitLibrary()
doc=p.FPDF_LoadMemDocument64(data,len(data),None); page=p.FPDF_LoadPage(doc,0)
def walk(n,get,h,depth=0):
    for i in range(n(h)):
        o=get(h,i)
        t=p.FPDFPageObj_GetType(o)
        if t==p.FPDF_PAGEOBJ_FORM: walk(p.FPDFFormObj_CountObjects,p.FPDFFormObj_GetObject,o,depth+1); continue
        v=[ctypes.c_uint() for _ in range(4)]
        ok=p.FPDFPageObj_GetFillColor(o,*v)
        s=time.time(); b=p.FPDFPageObj_GetRenderedFillPattern(doc,o); e=time.time()-s
        b2=p.FPDFPageObj_GetRenderedStrokePattern(doc,o)
        size=(p.FPDFBitmap_GetWidth(b),p.FPDFBitmap_GetHeight(b)) if b else None
        print(depth,t,ok,[x.value for x in v],bool(b),size,bool(b2),round(e*1e3,2))
walk(p.FPDFPage_CountObjects,p.FPDFPage_GetObject,page)
