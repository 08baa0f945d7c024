// References that are not counted. Each count is an atomic instruction, and a third of an event's way was counting.

/// An object that somebody else holds for as long as this is used.
@usableFromInline
package struct Borrowed<Object: AnyObject> {
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable @inline(__always)
    package init(_ object: Object) {
        reference = .passUnretained(object)
    }

    /// Does something with the object that does not end it.
    @inlinable @inline(__always)
    package func use<Result>(_ body: (Object) -> Result) -> Result { reference._withUnsafeGuaranteedRef(body) }

    /// The object itself, counted from here on.
    @inlinable
    package var object: Object { reference.takeUnretainedValue() }
}
