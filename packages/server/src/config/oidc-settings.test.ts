import { expect, test } from 'vitest'
import { readOidc } from './oidc-settings.ts'

const WHOLE = {
  COFFER_OIDC_ISSUER: 'https://login.example/realms/staff',
  COFFER_OIDC_CLIENT_ID: 'coffer',
  COFFER_OIDC_CLIENT_SECRET: 'hush',
}

test('an issuer is named by its host, unless by the operator', () => {
  expect(readOidc({})).toBeNull()
  expect(readOidc(WHOLE)).toMatchObject({
    ...{ issuer: 'https://login.example/realms/staff', clientId: 'coffer', name: 'login.example' },
  })
  expect(readOidc(WHOLE)?.clientSecret.reveal()).toBe('hush')
  expect(JSON.stringify(readOidc(WHOLE))).not.toContain('hush')
  expect(readOidc({ ...WHOLE, COFFER_OIDC_NAME: 'Example' })?.name).toBe('Example')
})

test.each(Object.keys(WHOLE))('without %s none of it is taken', (name) => {
  expect(() => readOidc({ ...WHOLE, [name]: '' })).toThrow(`is set, but ${name} is not`)
})

test('a name alone is refused', () => {
  expect(() => readOidc({ COFFER_OIDC_NAME: 'Example' })).toThrow('COFFER_OIDC_NAME')
})

test.each([
  ['http://login.example', 'must begin with https://'],
  ['https://login.example?realm=staff', 'query'],
  ['https://user:pass@login.example', 'credentials'],
  ['login.example', 'is not a URL'],
])('%s is no issuer', (issuer, reason) => {
  expect(() => readOidc({ ...WHOLE, COFFER_OIDC_ISSUER: issuer })).toThrow(reason)
})

test.each(['http://localhost:8090', 'http://127.0.0.1:8090', 'http://[::1]:8090'])(
  '%s is on this machine',
  (issuer) => {
    expect(readOidc({ ...WHOLE, COFFER_OIDC_ISSUER: issuer })?.issuer).toBe(issuer)
  },
)
