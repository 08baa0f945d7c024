// The parts of a reply that clients read, besides its text.

import RESP

extension Reply {
    /// Nil for all but an integer.
    package var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// Empty for all but an array.
    package var elements: [Reply] { if case .array(let elements) = self { elements } else { [] } }
}
