import { expect, test } from 'vitest'
import { agentName } from './agent-name.ts'

test('names browser and system', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  expect(agentName(`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`)).toBe('Chrome · Linux')
  expect(agentName(`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0`)).toBe(
    'Edge · Windows',
  )
  expect(agentName('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1')).toBe(
    'Safari · iOS',
  )
  expect(agentName('curl/8.5.0')).toBeNull()
})
