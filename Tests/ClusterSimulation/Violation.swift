// A guarantee that does not hold in the simulation.

package struct Violation: Error, CustomStringConvertible {
    package let description: String
}
