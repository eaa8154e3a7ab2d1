import {GripVertical} from 'lucide-react'
import {Panel, PanelGroup, PanelResizeHandle} from 'react-resizable-panels'
import {cn} from './utils.jsx'

export const ResizablePanelGroup = ({className, ...rest}) => (
  <PanelGroup className={cn('flex h-full w-full data-[panel-group-direction=vertical]:flex-col', className)} {...rest} />
)
export const ResizablePanel = Panel
export const ResizableHandle = ({withHandle, className, ...rest}) => (
  <PanelResizeHandle className={cn('relative flex w-px items-center justify-center bg-border data-[panel-group-direction=vertical]:h-px data-[panel-group-direction=vertical]:w-full [&[data-panel-group-direction=vertical]>div]:rotate-90', className)} {...rest}>
    {withHandle && <div className="z-10 flex h-4 w-3 items-center justify-center rounded-sm border bg-border"><GripVertical className="h-2.5 w-2.5" /></div>}
  </PanelResizeHandle>
)
