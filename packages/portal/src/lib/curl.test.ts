import { expect, test } from 'vitest'
import { curlOf } from './curl.ts'

const wallet = `0x${'a'.repeat(40)}`

test('wallets and virtual users are asked for apart', () => {
  expect(curlOf(['virtual:x', wallet], 'https://coffer.example')).toBe(
    `curl -H "Authorization: Bearer $COFFER_KEY" 'https://coffer.example/v1/portfolio?addresses=${wallet}'\n` +
      `curl -H "Authorization: Bearer $COFFER_KEY" 'https://coffer.example/v1/virtual-users/portfolio?addresses=virtual:x'`,
  )
})

test('a past time is asked for with its zone', () => {
  expect(curlOf([wallet], 'https://coffer.example', '2026-03-01T12:00:00Z')).toBe(
    `curl -H "Authorization: Bearer $COFFER_KEY" 'https://coffer.example/v1/portfolio/at-block?addresses=${wallet}&date=2026-03-01T12:00:00Z'`,
  )
})
