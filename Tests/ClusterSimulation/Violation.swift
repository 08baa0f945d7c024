// A promise that the simulation has seen broken.

package struct Violation: Error, CustomStringConvertible {
    package let description: String
}
