import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [{ path: '/a/$account/approvals', load: () => import('./approvals-screen.tsx') }]
