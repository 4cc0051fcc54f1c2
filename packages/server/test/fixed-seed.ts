import fc from 'fast-check'
import { seedOf } from './random.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf('properties') })
