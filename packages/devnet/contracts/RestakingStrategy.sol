// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IStrategyToken {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
}

interface IWrappedStrategyToken is IStrategyToken {
    function wrap(uint256 amount) external;
    function unwrap(uint256 amount) external;
}

/**
 * A strategy of EigenLayer: a vault whose shares only the manager knows, counted with virtual shares. With `wrapped` it
 * takes and pays that token too, one for one, as the strategy of EIGEN does. Anyone may lock it for a time: then it
 * answers as a vault of fixed duration.
 */
contract RestakingStrategy {
    uint256 private constant OFFSET = 1e3;

    address public immutable strategyManager;
    IStrategyToken public immutable underlyingToken;
    IWrappedStrategyToken public immutable wrapped;
    uint256 public totalShares;
    uint32 private unlockAt;
    bool private isOpen;

    event ExchangeRateEmitted(uint256 rate);

    error OnlyUnderlyingToken();
    error NewSharesZero();
    error WithdrawalsLockedDuringAllocations();

    constructor(address manager, IStrategyToken token, IWrappedStrategyToken wrapper) {
        (strategyManager, underlyingToken, wrapped) = (manager, token, wrapper);
    }

    function deposit(IStrategyToken token, uint256 amount) external returns (uint256 newShares) {
        checkToken(token);
        if (token == wrapped) wrapped.unwrap(amount);
        uint256 balance = underlyingToken.balanceOf(address(this)) + OFFSET;
        newShares = amount * (totalShares + OFFSET) / (balance - amount);
        if (newShares == 0) revert NewSharesZero();
        totalShares += newShares;
        emit ExchangeRateEmitted(1e18 * balance / (totalShares + OFFSET));
    }

    function withdraw(address recipient, IStrategyToken token, uint256 shares) external returns (uint256 amountOut) {
        checkToken(token);
        amountOut = sharesToUnderlyingView(shares);
        uint256 balance = underlyingToken.balanceOf(address(this)) + OFFSET;
        totalShares -= shares;
        emit ExchangeRateEmitted(1e18 * (balance - amountOut) / (totalShares + OFFSET));
        if (token == wrapped) {
            underlyingToken.approve(address(token), amountOut);
            wrapped.wrap(amountOut);
        }
        token.transfer(recipient, amountOut);
    }

    function beforeAddShares(address, uint256) external view {}

    function beforeRemoveShares(address, uint256) external view {
        if (unlockAt > 0 && !isOpen) revert WithdrawalsLockedDuringAllocations();
    }

    function lock(uint32 until) external {
        unlockAt = until;
    }

    /// Before the end too.
    function open() external {
        isOpen = true;
    }

    function withdrawalsOpen() external view returns (bool) {
        require(unlockAt > 0);
        return isOpen;
    }

    function unlockTimestamp() external view returns (uint32) {
        require(unlockAt > 0);
        return unlockAt;
    }

    function sharesToUnderlyingView(uint256 shares) public view returns (uint256) {
        return (underlyingToken.balanceOf(address(this)) + OFFSET) * shares / (totalShares + OFFSET);
    }

    function checkToken(IStrategyToken token) private view {
        if (msg.sender != strategyManager || (token != underlyingToken && token != wrapped)) {
            revert OnlyUnderlyingToken();
        }
    }
}
