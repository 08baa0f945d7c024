// An uncounted reference, for places where counting would cost more than the work with the object.

/// An object that another owner holds for as long as this is used. Each count is an atomic instruction, and an event's way passes a dozen objects
/// that its session holds anyway. Public, since only public code is inlined into other modules.
@frozen
public struct Borrowed<Object: AnyObject>: Equatable, BitwiseCopyable {
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable public init(_ object: Object) {
        reference = .passUnretained(object)
    }

    /// Calls `body` with the object, without counting that it is in use.
    @inlinable public func with<Result>(_ body: (Object) -> Result) -> Result {
        reference._withUnsafeGuaranteedRef(body)
    }

    /// The object, counted from here on.
    @inlinable public var object: Object { reference.takeUnretainedValue() }

    /// Counts this reference by hand, for an owner that keeps many references in its memory.
    @inlinable public func retain() { _ = reference.retain() }

    /// Releases the count of `retain`. The object may be gone after it.
    @inlinable public func release() { reference.release() }

    /// The same as a number, for memory that knows nothing of objects.
    @inlinable public var token: UInt { UInt(bitPattern: reference.toOpaque()) }

    /// The object's address, for prefetching.
    @inlinable public var address: UnsafeRawPointer { UnsafeRawPointer(reference.toOpaque()) }

    /// The object with this number. It must still exist.
    @inlinable public init(token: UInt) {
        guard let address = UnsafeRawPointer(bitPattern: token) else { preconditionFailure("no object has the number 0") }
        reference = .fromOpaque(address)
    }

    @inlinable public static func == (left: Self, right: Self) -> Bool {
        left.reference.toOpaque() == right.reference.toOpaque()
    }
}
