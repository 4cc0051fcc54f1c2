import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { planChunks } from './build/chunks.ts'
import { headScript } from './build/head-script-plugin.ts'
import { messages } from './build/messages-plugin.ts'

const service = 'http://127.0.0.1:8080'

/** The portal's build: `dist/index.html` and `dist/assets/*`, all of them with a hash in their name. */
export default defineConfig({
  plugins: [react(), tailwindcss(), messages(), headScript()],
  build: {
    target: 'es2024',
    // A data: URL is a script or a style that the page's policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: await planChunks() } },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: Object.fromEntries(['/portal/api', '/v1', '/docs', '/icons'].map((path) => [path, { target: service }])),
  },
})
