// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// A token that its maker can turn against whoever holds it. Anybody may mint and set its modes.
contract HostileToken {
    enum Transfers { Honest, Refused, False, HalfArrives, Swallowed, BurnGas, RefusedToContracts, RefusedFromAccounts, RefusedWithOrigin, Reenters }
    enum Balances { Honest, Revert, Huge, BurnGas, Nothing, Long, HugeForContracts, RevertForHolders, LongRevert }
    enum Facts { Honest, Revert, BurnGas, Nothing, Long }

    string private named;
    string private signed;
    uint8 private immutable places;
    address public immutable maker;
    uint256 private supply;
    Facts public facts;
    Transfers public transfers;
    Balances public balances;
    address private target;
    bytes private reentry;
    mapping(address => uint256) private kept;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_, uint8 decimals_, address maker_) {
        (named, signed, places, maker) = (name_, symbol_, decimals_, maker_);
    }

    function turn(Transfers transfers_, Balances balances_) external {
        (transfers, balances) = (transfers_, balances_);
    }

    /// What each transfer calls first in the mode `Reenters`.
    function aim(address target_, bytes calldata reentry_) external {
        (target, reentry) = (target_, reentry_);
    }

    function turnFacts(Facts facts_) external {
        facts = facts_;
    }

    function name() external view returns (string memory) {
        answerFacts();
        return named;
    }

    function symbol() external view returns (string memory) {
        answerFacts();
        return signed;
    }

    function decimals() external view returns (uint8) {
        answerFacts();
        return places;
    }

    function totalSupply() external view returns (uint256) {
        answerFacts();
        return supply;
    }

    function answerFacts() private view {
        if (facts == Facts.Revert) revert("nobody knows");
        if (facts == Facts.BurnGas) while (true) {}
        if (facts == Facts.Nothing) assembly { return(0, 0) }
        if (facts == Facts.Long) assembly { return(0, 100000) }
    }

    function mint(address to, uint256 value) external {
        supply += value;
        kept[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// A log that nothing stands behind.
    function pretend(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    function pretendApproval(address owner, address spender, uint256 value) external {
        emit Approval(owner, spender, value);
    }

    function balanceOf(address owner) external view returns (uint256) {
        if (balances == Balances.Revert) revert("no balance");
        if (balances == Balances.Huge) return 2 ** 96;
        if (balances == Balances.BurnGas) while (true) {}
        if (balances == Balances.Nothing) assembly { return(0, 0) }
        if (balances == Balances.Long) assembly { return(0, 100000) }
        if (balances == Balances.HugeForContracts && owner.code.length > 0) return 2 ** 111;
        if (balances == Balances.RevertForHolders && kept[owner] > 0) revert("not to you");
        if (balances == Balances.LongRevert) assembly { revert(0, 100000) }
        return kept[owner];
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return move(from, to, value);
    }

    function move(address from, address to, uint256 value) private returns (bool) {
        uint256 arriving = value;
        if (from != maker) {
            if (transfers == Transfers.Refused) revert("not for sale");
            if (transfers == Transfers.False) return false;
            if (transfers == Transfers.HalfArrives) arriving = value / 2;
            if (transfers == Transfers.Swallowed) arriving = 0;
            if (transfers == Transfers.BurnGas) while (true) {}
            if (transfers == Transfers.RefusedToContracts) require(to.code.length == 0, "not to contracts");
            if (transfers == Transfers.RefusedFromAccounts) require(from.code.length > 0, "not from accounts");
            if (transfers == Transfers.Reenters) {
                (bool done,) = target.call(reentry);
                done;
            }
            if (transfers == Transfers.RefusedWithOrigin) require(tx.origin == address(0), "not in a transaction");
        }
        kept[from] -= value;
        kept[to] += arriving;
        emit Transfer(from, to, arriving);
        return true;
    }
}
