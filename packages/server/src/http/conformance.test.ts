import { describe } from 'vitest'
import { conformance } from '../../test/conformance/conformance.ts'
import { contractInMemory, memorySubject } from '../../test/conformance/memory-subject.ts'

describe('the sample table', () => conformance(memorySubject()))
describe('the contract', () => conformance(contractInMemory()))
