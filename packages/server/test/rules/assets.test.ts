import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { gatherAssets } from '../../scripts/gather-assets.ts'

const folder = new URL('../../assets/', import.meta.url)

it('ships what the published packages say today (renew with `npm run gather --workspace @coffer/server`)', async () => {
  for (const [path, text] of await gatherAssets()) expect(readFileSync(new URL(path, folder), 'utf8'), path).toBe(text)
})
