// A reference that is not counted, for the places where counting would cost more than what is done with the object.

/// An object that somebody else holds for as long as this is used. Each count is an atomic instruction, and an event's way passes
/// a dozen objects that its session holds anyway. Public, since only what is public is inlined into other modules.
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

    /// Counts this reference by hand, for an owner that keeps many in memory of its own.
    @inlinable public func retain() { _ = reference.retain() }

    /// Gives up what `retain` has counted. The object may be gone after it.
    @inlinable public func release() { reference.release() }

    /// The same as a number, for memory that knows nothing of objects.
    @inlinable public var token: UInt { UInt(bitPattern: reference.toOpaque()) }

    /// Where it lies, to be fetched ahead.
    @inlinable public var address: UnsafeRawPointer { UnsafeRawPointer(reference.toOpaque()) }

    /// The object whose number this is. It must still be there.
    @inlinable public init(token: UInt) {
        guard let address = UnsafeRawPointer(bitPattern: token) else { preconditionFailure("no object has the number 0") }
        reference = .fromOpaque(address)
    }

    @inlinable public static func == (left: Self, right: Self) -> Bool {
        left.reference.toOpaque() == right.reference.toOpaque()
    }
}
