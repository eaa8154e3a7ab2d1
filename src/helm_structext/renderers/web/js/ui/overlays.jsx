// Components that lie over the page: dialogs, menus, hints, messages.

import * as Alerts from '@radix-ui/react-alert-dialog'
import * as Contexts from '@radix-ui/react-context-menu'
import * as Dialogs from '@radix-ui/react-dialog'
import * as Dropdowns from '@radix-ui/react-dropdown-menu'
import * as Hovers from '@radix-ui/react-hover-card'
import * as Menubars from '@radix-ui/react-menubar'
import * as Navigations from '@radix-ui/react-navigation-menu'
import * as Popovers from '@radix-ui/react-popover'
import * as Toasts from '@radix-ui/react-toast'
import * as Tooltips from '@radix-ui/react-tooltip'
import {cva} from 'class-variance-authority'
import {Check, ChevronDown, ChevronRight, Circle, X} from 'lucide-react'
import {forwardRef, useEffect, useState} from 'react'
import {buttonVariants} from './basic.jsx'
import {cn, styled, varied} from './utils.jsx'

const SHADE = 'fixed inset-0 z-50 bg-black/80'
const CENTERED = 'fixed left-[50%] top-[50%] z-50 grid w-full max-w-lg translate-x-[-50%] translate-y-[-50%] gap-4 border bg-background p-6 shadow-lg sm:rounded-lg'
const HEADER = 'flex flex-col space-y-2 text-center sm:text-left'
const FOOTER = 'flex flex-col-reverse sm:flex-row sm:justify-end sm:space-x-2'
const FLOATING = 'z-50 rounded-md border bg-popover text-popover-foreground'
const Close = () => (
  <Dialogs.Close className="absolute right-4 top-4 rounded-sm opacity-70 hover:opacity-100"><X className="h-4 w-4" /><span className="sr-only">Close</span></Dialogs.Close>
)

export const Dialog = Dialogs.Root
export const DialogTrigger = Dialogs.Trigger
export const DialogPortal = Dialogs.Portal
export const DialogClose = Dialogs.Close
export const DialogOverlay = styled(Dialogs.Overlay, SHADE)
export const DialogContent = forwardRef(({className, children, showCloseButton = true, ...rest}, ref) => (
  <DialogPortal>
    <DialogOverlay />
    <Dialogs.Content ref={ref} className={cn(CENTERED, className)} {...rest}>{children}{showCloseButton && <Close />}</Dialogs.Content>
  </DialogPortal>
))
export const DialogHeader = styled('div', HEADER)
export const DialogFooter = styled('div', FOOTER)
export const DialogTitle = styled(Dialogs.Title, 'text-lg font-semibold leading-none tracking-tight')
export const DialogDescription = styled(Dialogs.Description, 'text-sm text-muted-foreground')

export const AlertDialog = Alerts.Root
export const AlertDialogTrigger = Alerts.Trigger
export const AlertDialogPortal = Alerts.Portal
export const AlertDialogOverlay = styled(Alerts.Overlay, SHADE)
export const AlertDialogContent = forwardRef(({className, ...rest}, ref) => (
  <AlertDialogPortal><AlertDialogOverlay /><Alerts.Content ref={ref} className={cn(CENTERED, className)} {...rest} /></AlertDialogPortal>
))
export const AlertDialogHeader = styled('div', HEADER)
export const AlertDialogFooter = styled('div', FOOTER)
export const AlertDialogTitle = styled(Alerts.Title, 'text-lg font-semibold')
export const AlertDialogDescription = styled(Alerts.Description, 'text-sm text-muted-foreground')
export const AlertDialogAction = styled(Alerts.Action, buttonVariants())
export const AlertDialogCancel = styled(Alerts.Cancel, cn(buttonVariants({variant: 'outline'}), 'mt-2 sm:mt-0'))

export const Sheet = Dialogs.Root
export const SheetTrigger = Dialogs.Trigger
export const SheetClose = Dialogs.Close
export const SheetPortal = Dialogs.Portal
export const SheetOverlay = DialogOverlay
const sheetVariants = cva('fixed z-50 gap-4 bg-background p-6 shadow-lg', {
  variants: {side: {
    top: 'inset-x-0 top-0 border-b', bottom: 'inset-x-0 bottom-0 border-t',
    left: 'inset-y-0 left-0 h-full w-3/4 border-r sm:max-w-sm', right: 'inset-y-0 right-0 h-full w-3/4 border-l sm:max-w-sm',
  }},
  defaultVariants: {side: 'right'},
})
export const SheetContent = forwardRef(({side, className, children, ...rest}, ref) => (
  <SheetPortal><SheetOverlay /><Dialogs.Content ref={ref} className={cn(sheetVariants({side}), className)} {...rest}>{children}<Close /></Dialogs.Content></SheetPortal>
))
export const SheetHeader = DialogHeader
export const SheetFooter = DialogFooter
export const SheetTitle = styled(Dialogs.Title, 'text-lg font-semibold text-foreground')
export const SheetDescription = DialogDescription

export const Popover = Popovers.Root
export const PopoverTrigger = Popovers.Trigger
export const PopoverAnchor = Popovers.Anchor
export const PopoverContent = forwardRef(({className, align = 'center', sideOffset = 4, ...rest}, ref) => (
  <Popovers.Portal><Popovers.Content ref={ref} align={align} sideOffset={sideOffset} className={cn(FLOATING, 'w-72 p-4 shadow-md outline-none', className)} {...rest} /></Popovers.Portal>
))

export const HoverCard = Hovers.Root
export const HoverCardTrigger = Hovers.Trigger
export const HoverCardContent = styled(Hovers.Content, `${FLOATING} w-64 p-4 shadow-md outline-none`, {align: 'center', sideOffset: 4})

// Without a provider of the answer's own, a hint has this one.
export const TooltipProvider = Tooltips.Provider
export const Tooltip = props => <TooltipProvider><Tooltips.Root {...props} /></TooltipProvider>
export const TooltipTrigger = Tooltips.Trigger
export const TooltipContent = forwardRef(({className, sideOffset = 4, ...rest}, ref) => (
  <Tooltips.Portal><Tooltips.Content ref={ref} sideOffset={sideOffset} className={cn('z-50 overflow-hidden rounded-md bg-primary px-3 py-1.5 text-xs text-primary-foreground', className)} {...rest} /></Tooltips.Portal>
))

// The three kinds of menus have the same parts.
const ENTRY = 'relative flex cursor-default select-none items-center gap-2 rounded-sm px-2 py-1.5 text-sm outline-none transition-colors focus:bg-accent focus:text-accent-foreground data-[disabled]:pointer-events-none data-[disabled]:opacity-50 [&>svg]:size-4 [&>svg]:shrink-0'
function menu(kind) {
  const marked = (Part, sign) => forwardRef(({className, children, ...rest}, ref) => (
    <Part ref={ref} className={cn(ENTRY, 'pl-8', className)} {...rest}>
      <span className="absolute left-2 flex h-3.5 w-3.5 items-center justify-center"><kind.ItemIndicator>{sign}</kind.ItemIndicator></span>{children}
    </Part>
  ))
  const inset = Part => forwardRef(({className, inset, ...rest}, ref) => <Part ref={ref} className={cn(inset && 'pl-8', className)} {...rest} />)
  const Content = forwardRef(({className, ...rest}, ref) => (
    <kind.Portal><kind.Content ref={ref} className={cn(FLOATING, 'min-w-[8rem] overflow-hidden p-1 shadow-md', className)} {...(kind === Contexts ? {} : {sideOffset: 4})} {...rest} /></kind.Portal>
  ))
  const SubTrigger = forwardRef(({className, children, ...rest}, ref) => (
    <kind.SubTrigger ref={ref} className={cn(ENTRY, className)} {...rest}>{children}<ChevronRight className="ml-auto" /></kind.SubTrigger>
  ))
  return {
    Content, SubTrigger: inset(SubTrigger), Item: inset(styled(kind.Item, ENTRY)),
    CheckboxItem: marked(kind.CheckboxItem, <Check className="h-4 w-4" />),
    RadioItem: marked(kind.RadioItem, <Circle className="h-2 w-2 fill-current" />),
    Label: inset(styled(kind.Label, 'px-2 py-1.5 text-sm font-semibold')),
    Separator: styled(kind.Separator, '-mx-1 my-1 h-px bg-muted'),
    SubContent: styled(kind.SubContent, `${FLOATING} min-w-[8rem] overflow-hidden p-1 shadow-lg`),
    Shortcut: styled('span', 'ml-auto text-xs tracking-widest opacity-60'),
  }
}

export const {
  Root: DropdownMenu, Trigger: DropdownMenuTrigger, Group: DropdownMenuGroup, Portal: DropdownMenuPortal, Sub: DropdownMenuSub,
  RadioGroup: DropdownMenuRadioGroup,
} = Dropdowns
export const {
  Content: DropdownMenuContent, SubTrigger: DropdownMenuSubTrigger, Item: DropdownMenuItem, CheckboxItem: DropdownMenuCheckboxItem,
  RadioItem: DropdownMenuRadioItem, Label: DropdownMenuLabel, Separator: DropdownMenuSeparator, SubContent: DropdownMenuSubContent,
  Shortcut: DropdownMenuShortcut,
} = menu(Dropdowns)
export const {
  Root: ContextMenu, Trigger: ContextMenuTrigger, Group: ContextMenuGroup, Portal: ContextMenuPortal, Sub: ContextMenuSub,
  RadioGroup: ContextMenuRadioGroup,
} = Contexts
export const {
  Content: ContextMenuContent, SubTrigger: ContextMenuSubTrigger, Item: ContextMenuItem, CheckboxItem: ContextMenuCheckboxItem,
  RadioItem: ContextMenuRadioItem, Label: ContextMenuLabel, Separator: ContextMenuSeparator, SubContent: ContextMenuSubContent,
  Shortcut: ContextMenuShortcut,
} = menu(Contexts)
export const {
  Menu: MenubarMenu, Group: MenubarGroup, Portal: MenubarPortal, Sub: MenubarSub, RadioGroup: MenubarRadioGroup,
} = Menubars
export const Menubar = styled(Menubars.Root, 'flex h-9 items-center space-x-1 rounded-md border bg-background p-1 shadow-sm')
export const MenubarTrigger = styled(Menubars.Trigger, 'flex cursor-default select-none items-center rounded-sm px-3 py-1 text-sm font-medium outline-none focus:bg-accent data-[state=open]:bg-accent')
export const {
  Content: MenubarContent, SubTrigger: MenubarSubTrigger, Item: MenubarItem, CheckboxItem: MenubarCheckboxItem,
  RadioItem: MenubarRadioItem, Label: MenubarLabel, Separator: MenubarSeparator, SubContent: MenubarSubContent,
  Shortcut: MenubarShortcut,
} = menu(Menubars)

export const navigationMenuTriggerStyle = cva('group inline-flex h-9 w-max items-center justify-center rounded-md bg-background px-4 py-2 text-sm font-medium transition-colors hover:bg-accent hover:text-accent-foreground focus:outline-none disabled:opacity-50')
export const NavigationMenuViewport = forwardRef(({className, ...rest}, ref) => (
  <div className="absolute left-0 top-full flex justify-center"><Navigations.Viewport ref={ref} className={cn(FLOATING, 'relative mt-1.5 h-[var(--radix-navigation-menu-viewport-height)] w-full overflow-hidden shadow md:w-[var(--radix-navigation-menu-viewport-width)]', className)} {...rest} /></div>
))
export const NavigationMenu = forwardRef(({className, children, viewport = true, ...rest}, ref) => (
  <Navigations.Root ref={ref} className={cn('relative z-10 flex max-w-max flex-1 items-center justify-center', className)} {...rest}>{children}{viewport && <NavigationMenuViewport />}</Navigations.Root>
))
export const NavigationMenuList = styled(Navigations.List, 'group flex flex-1 list-none items-center justify-center space-x-1')
export const NavigationMenuItem = Navigations.Item
export const NavigationMenuLink = Navigations.Link
export const NavigationMenuIndicator = styled(Navigations.Indicator, 'top-full z-[1] flex h-1.5 items-end justify-center overflow-hidden')
export const NavigationMenuTrigger = ({className, children, ...rest}) => (
  <Navigations.Trigger className={cn(navigationMenuTriggerStyle(), className)} {...rest}>{children}<ChevronDown className="relative top-[1px] ml-1 h-3 w-3" /></Navigations.Trigger>
)
export const NavigationMenuContent = styled(Navigations.Content, 'left-0 top-0 w-full md:absolute md:w-auto')

const toastVariants = cva('group pointer-events-auto relative flex w-full items-center justify-between space-x-2 overflow-hidden rounded-md border p-4 pr-6 shadow-lg', {
  variants: {variant: {default: 'border bg-background text-foreground', destructive: 'border-destructive bg-destructive text-destructive-foreground'}},
  defaultVariants: {variant: 'default'},
})
export const ToastProvider = Toasts.Provider
export const ToastViewport = styled(Toasts.Viewport, 'fixed top-0 z-[100] flex max-h-screen w-full flex-col-reverse p-4 sm:bottom-0 sm:right-0 sm:top-auto sm:flex-col md:max-w-[420px]')
export const Toast = varied(Toasts.Root, toastVariants, ['variant'])
export const ToastAction = styled(Toasts.Action, 'inline-flex h-8 shrink-0 items-center justify-center rounded-md border bg-transparent px-3 text-sm font-medium')
export const ToastClose = styled(Toasts.Close, 'absolute right-1 top-1 rounded-md p-1', {children: <X className="h-4 w-4" />})
export const ToastTitle = styled(Toasts.Title, 'text-sm font-semibold')
export const ToastDescription = styled(Toasts.Description, 'text-sm opacity-90')

// One list of messages for the page, as long as it is shown.
let toasts = []
let count = 0
const listeners = new Set()
const show = next => { toasts = next; for (const listener of listeners) listener(toasts) }
export function toast(props) {
  const id = String(++count)
  const dismiss = () => show(toasts.filter(one => one.id !== id))
  show([{...props, id, open: true, onOpenChange: open => open || dismiss()}])
  return {id, dismiss, update: changed => show(toasts.map(one => one.id === id ? {...one, ...changed} : one))}
}
export function useToast() {
  const [shown, setShown] = useState(toasts)
  useEffect(() => { listeners.add(setShown); return () => { listeners.delete(setShown) } }, [])
  return {toasts: shown, toast, dismiss: id => show(toasts.filter(one => id && one.id !== id))}
}
export const Toaster = () => (
  <ToastProvider>
    {useToast().toasts.map(({id, title, description, action, ...rest}) => (
      <Toast key={id} {...rest}>
        <div className="grid gap-1">{title && <ToastTitle>{title}</ToastTitle>}{description && <ToastDescription>{description}</ToastDescription>}</div>
        {action}<ToastClose />
      </Toast>
    ))}
    <ToastViewport />
  </ToastProvider>
)
