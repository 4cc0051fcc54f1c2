import { expect, test } from 'vitest'
import { ORIGIN, originTemplate } from './portfolio-views.ts'

test('each origin is put where it stands, and the bytes are kept once', () => {
  const text = (origin: string) => JSON.stringify([{ name: 'μ 🪙', img: `${origin}/a.svg` }, `${origin}/b`, origin])
  const template = originTemplate(text(ORIGIN))
  for (const origin of ['https://a.example', 'http://[::1]:8080', `https://${'b'.repeat(255)}`]) {
    expect(String(template.at(origin))).toBe(text(origin))
  }
})

test('text without an origin is sent as it is kept', () => {
  const template = originTemplate('[{"name":"μ"}]')
  expect(String(template.at('https://a.example'))).toBe('[{"name":"μ"}]')
  expect(template.at('https://a.example')).toBe(template.at('https://b.example'))
})

test('the first and the last byte may be the origin', () => {
  expect(String(originTemplate(`${ORIGIN}${ORIGIN}/${ORIGIN}`).at('x'))).toBe('xx/x')
})
