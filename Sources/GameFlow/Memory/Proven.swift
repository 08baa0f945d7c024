// Casts and values that are proven valid elsewhere: to check them again would take as long as the step that needs them.

/// The object, which is known to be of this class.
@inlinable func proven<Object: AnyObject>(_ object: AnyObject, is type: Object.Type) -> Object {
    unsafeDowncast(object, to: type)
}

/// The value, known to be of this type.
func proven<Value, Same>(_ value: Value, same type: Same.Type) -> Same { unsafeBitCast(value, to: type) }

extension Optional {
    /// The value, which is known to be there.
    @inlinable var proven: Wrapped { unsafelyUnwrapped }
}

extension String {
    /// Whether both are bitwise the same: the same short text, or the same literal. Equal texts can lie in different places.
    func isIdentical(to other: String) -> Bool {
        unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
    }
}
