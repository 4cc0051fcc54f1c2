// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IConvertible {
    function convertToAssets(uint256 shares) external view returns (uint256);
    function asset() external view returns (address);
}

/// Prices of assets in one unit of account, as they were set, and of shares of vaults by what they convert to. It may
/// refuse, or burn all gas.
contract EulerOracle {
    enum Answer { Honest, Revert, BurnGas }

    /// Of 1e18 base units.
    mapping(address => uint256) public priceOf;
    mapping(address => bool) public isShare;
    Answer private answers;

    function set(address asset, uint256 price) external {
        priceOf[asset] = price;
    }

    function trust(address vault) external {
        isShare[vault] = true;
    }

    function turn(Answer answers_) external {
        answers = answers_;
    }

    function getQuote(uint256 amount, address base, address) public view returns (uint256) {
        if (answers == Answer.Revert) revert("not now");
        if (answers == Answer.BurnGas) while (true) {}
        if (isShare[base]) {
            amount = IConvertible(base).convertToAssets(amount);
            base = IConvertible(base).asset();
        }
        return (amount * priceOf[base]) / 1e18;
    }

    function getQuotes(uint256 amount, address base, address quote) external view returns (uint256, uint256) {
        uint256 out = getQuote(amount, base, quote);
        return (out, out);
    }
}
