import { conformance } from '../../test/conformance/conformance.ts'
import { memorySubject } from '../../test/conformance/memory-subject.ts'

conformance(memorySubject())
