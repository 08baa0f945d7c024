/// The turn that commands are carried out in, and how much of it is used up.
package protocol TurnBudget: AnyObject {
    /// How many turns there have been.
    var turns: Int { get }

    /// So many pieces of input have been handled; what takes as long as many counts as so many.
    func hasHandled(_ count: Int)

    /// Fires what has become due in this turn.
    func settle()
}
