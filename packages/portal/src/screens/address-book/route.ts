import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [
  { path: '/a/$account/address-book', load: () => import('./address-book-screen.tsx') },
]
