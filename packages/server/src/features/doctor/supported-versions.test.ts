import { expect, test } from 'vitest'
import { judgePostgres, judgeVersion, NODE_VERSIONS } from './supported-versions.ts'

test.each([
  ['14.19', 'PostgreSQL 14.19 is too old: 15.0 to 18 are supported'],
  ['15.0', 'PostgreSQL 15.0 lacks fixes of security and data: 15.20 of 2026-11-12 is newer'],
  ['15.20', undefined],
  [
    '17.10 (Debian 17.10-1.pgdg12+1)',
    'PostgreSQL 17.10 (Debian 17.10-1.pgdg12+1) lacks fixes of security and data: 17.11 of 2026-08-13 is newer',
  ],
  ['17.11 (Debian 17.11-1.pgdg12+1)', undefined],
  ['18.4', 'PostgreSQL 18.4 lacks fixes of security and data: 18.6 of 2026-08-13 is newer'],
  ['18.6', undefined],
  ['18.12', undefined],
  ['19beta1', 'PostgreSQL 19beta1 is newer than the tested versions: 15.0 to 18 are supported'],
])('PostgreSQL %s', (version, problem) => {
  expect(judgePostgres(version)).toEqual(problem ? { state: 'warn', problem } : { state: 'ok' })
})

test.each([
  ['22.23.3', 'Node 22.23.3 is too old: 24.7 to 26 are supported'],
  ['24.6.0', 'Node 24.6.0 is too old: 24.7 to 26 are supported'],
  ['24.7.0', undefined],
  ['26.12.1', undefined],
  ['27.0.0', 'Node 27.0.0 is newer than the tested versions: 24.7 to 26 are supported'],
])('Node %s', (version, problem) => {
  expect(judgeVersion(version, NODE_VERSIONS)).toEqual(problem ? { state: 'warn', problem } : { state: 'ok' })
})
