import {Command as Root} from 'cmdk'
import {Search} from 'lucide-react'
import {Dialog, DialogContent} from './overlays.jsx'
import {cn, styled} from './utils.jsx'

export const Command = styled(Root, 'flex h-full w-full flex-col overflow-hidden rounded-md bg-popover text-popover-foreground')
export const CommandDialog = ({children, ...rest}) => (
  <Dialog {...rest}><DialogContent className="overflow-hidden p-0"><Command>{children}</Command></DialogContent></Dialog>
)
export const CommandInput = ({className, ...rest}) => (
  <div className="flex items-center border-b px-3">
    <Search className="mr-2 h-4 w-4 shrink-0 opacity-50" />
    <Root.Input className={cn('flex h-10 w-full rounded-md bg-transparent py-3 text-sm outline-none placeholder:text-muted-foreground disabled:opacity-50', className)} {...rest} />
  </div>
)
export const CommandList = styled(Root.List, 'max-h-[300px] overflow-y-auto overflow-x-hidden')
export const CommandEmpty = styled(Root.Empty, 'py-6 text-center text-sm')
export const CommandGroup = styled(Root.Group, 'overflow-hidden p-1 text-foreground [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted-foreground')
export const CommandSeparator = styled(Root.Separator, '-mx-1 h-px bg-border')
export const CommandItem = styled(Root.Item, 'relative flex cursor-default select-none items-center gap-2 rounded-sm px-2 py-1.5 text-sm outline-none data-[disabled=true]:pointer-events-none data-[selected=true]:bg-accent data-[selected=true]:text-accent-foreground data-[disabled=true]:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0')
export const CommandShortcut = styled('span', 'ml-auto text-xs tracking-widest text-muted-foreground')
