import {Slot} from '@radix-ui/react-slot'
import {cva} from 'class-variance-authority'
import {PanelLeft} from 'lucide-react'
import {createContext, useContext, useState} from 'react'
import {Button, Input, Skeleton} from './basic.jsx'
import {Separator} from './controls.jsx'
import {cn, slotted, styled, useIsMobile, varied} from './utils.jsx'

const Opened = createContext({})
export const useSidebar = () => useContext(Opened)
export function SidebarProvider({defaultOpen = true, open: given, onOpenChange, className, style, ...rest}) {
  const [own, setOwn] = useState(defaultOpen)
  const open = given ?? own
  const setOpen = next => { setOwn(next); onOpenChange?.(next) }
  const isMobile = useIsMobile()
  return (
    <Opened.Provider value={{open, setOpen, isMobile, state: open ? 'expanded' : 'collapsed', toggleSidebar: () => setOpen(!open)}}>
      <div style={{'--sidebar-width': '16rem', '--sidebar-width-icon': '3rem', ...style}} className={cn('group/sidebar-wrapper flex min-h-svh w-full', className)} {...rest} />
    </Opened.Provider>
  )
}
export function Sidebar({side = 'left', variant = 'sidebar', collapsible = 'offcanvas', className, children, ...rest}) {
  const {state} = useSidebar()
  if (state === 'collapsed' && collapsible === 'offcanvas') return null
  return (
    <div data-state={state} data-collapsible={state === 'collapsed' ? collapsible : ''} className={cn('group peer flex h-svh shrink-0 flex-col bg-sidebar text-sidebar-foreground', state === 'collapsed' ? 'w-[var(--sidebar-width-icon)]' : 'w-[var(--sidebar-width)]', side === 'left' ? 'border-r' : 'order-last border-l', variant === 'floating' && 'm-2 rounded-lg border shadow', className)} {...rest}>{children}</div>
  )
}
export const SidebarTrigger = ({className, onClick, ...rest}) => {
  const {toggleSidebar} = useSidebar()
  return <Button variant="ghost" size="icon" className={cn('h-7 w-7', className)} onClick={event => { onClick?.(event); toggleSidebar() }} {...rest}><PanelLeft /><span className="sr-only">Toggle Sidebar</span></Button>
}
export const SidebarRail = () => null
export const SidebarInset = styled('main', 'relative flex w-full flex-1 flex-col bg-background')
export const SidebarInput = styled(Input, 'h-8 w-full bg-background shadow-none')
export const SidebarHeader = styled('div', 'flex flex-col gap-2 p-2')
export const SidebarFooter = SidebarHeader
export const SidebarSeparator = styled(Separator, 'mx-2 w-auto bg-sidebar-border')
export const SidebarContent = styled('div', 'flex min-h-0 flex-1 flex-col gap-2 overflow-auto')
export const SidebarGroup = styled('div', 'relative flex w-full min-w-0 flex-col p-2')
export const SidebarGroupLabel = styled(slotted('div', Slot), 'flex h-8 shrink-0 items-center rounded-md px-2 text-xs font-medium text-sidebar-foreground/70 [&>svg]:size-4')
export const SidebarGroupAction = styled(slotted('button', Slot), 'absolute right-3 top-3.5 flex aspect-square w-5 items-center justify-center rounded-md p-0 [&>svg]:size-4')
export const SidebarGroupContent = styled('div', 'w-full text-sm')
export const SidebarMenu = styled('ul', 'flex w-full min-w-0 flex-col gap-1')
export const SidebarMenuItem = styled('li', 'group/menu-item relative')
const ENTRY = cva('flex w-full items-center gap-2 overflow-hidden rounded-md p-2 text-left outline-none hover:bg-sidebar-accent hover:text-sidebar-accent-foreground [&>span:last-child]:truncate [&>svg]:size-4 [&>svg]:shrink-0', {
  variants: {
    variant: {default: '', outline: 'bg-background shadow-sm'}, size: {default: 'h-8 text-sm', sm: 'h-7 text-xs', lg: 'h-12 text-sm'},
    isActive: {true: 'bg-sidebar-accent font-medium text-sidebar-accent-foreground', false: ''},
  },
  defaultVariants: {variant: 'default', size: 'default', isActive: false},
})
const Entry = varied(slotted('button', Slot), ENTRY, ['variant', 'size', 'isActive'])
export const SidebarMenuButton = ({tooltip, ...rest}) => <Entry {...rest} />
export const SidebarMenuAction = styled(slotted('button', Slot), 'absolute right-1 top-1.5 flex aspect-square w-5 items-center justify-center rounded-md p-0 [&>svg]:size-4')
export const SidebarMenuBadge = styled('div', 'pointer-events-none absolute right-1 top-1.5 flex h-5 min-w-5 select-none items-center justify-center rounded-md px-1 text-xs font-medium tabular-nums')
export const SidebarMenuSkeleton = styled(Skeleton, 'h-8 w-full')
export const SidebarMenuSub = styled('ul', 'mx-3.5 flex min-w-0 translate-x-px flex-col gap-1 border-l border-sidebar-border px-2.5 py-0.5')
export const SidebarMenuSubItem = styled('li', '')
export const SidebarMenuSubButton = varied(slotted('a', Slot), ENTRY, ['size', 'isActive'])
