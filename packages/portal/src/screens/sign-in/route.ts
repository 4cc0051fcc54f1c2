import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [{ path: '/sign-in', public: true, load: () => import('./sign-in-screen.tsx') }]
