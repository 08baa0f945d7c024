// Tests that throw millions of errors.

#if canImport(Testing)
    import Glibc
    import Testing

    /// Stops the test library from capturing a backtrace at each `throw`, which takes two thirds of the time of a test that throws millions of errors.
    /// The other tests of the process, too, then report errors without backtraces.
    package struct WithoutBacktraces: TestTrait, SuiteTrait, TestScoping {
        package var isRecursive: Bool { true }

        package func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            _ = Self.removal
            try await function()
        }

        /// The runtime calls a function at each `throw` if one is set.
        private static let removal: Void = {
            for hook in ["_swift_willThrow", "_swift_willThrowTypedImpl"] {
                dlsym(nil, hook)?.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee = nil
            }
        }()
    }

    extension Trait where Self == WithoutBacktraces {
        package static var withoutBacktraces: Self { Self() }
    }
#endif
