// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Lido's stETH as far as holders see it: balances are shares of the pooled ether and change with every report.
contract StakedEther {
    string public constant name = "Liquid staked Ether 2.0";
    string public constant symbol = "stETH";
    uint8 public constant decimals = 18;

    uint256 private pooledEther;
    uint256 private totalShares;
    mapping(address => uint256) private shares;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event TransferShares(address indexed from, address indexed to, uint256 sharesValue);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Submitted(address indexed sender, uint256 amount, address referral);
    event TokenRebased(
        uint256 indexed reportTimestamp,
        uint256 timeElapsed,
        uint256 preTotalShares,
        uint256 preTotalEther,
        uint256 postTotalShares,
        uint256 postTotalEther,
        uint256 sharesMintedAsFees
    );

    function submit(address referral) public payable returns (uint256 minted) {
        require(msg.value != 0, "ZERO_DEPOSIT");
        minted = totalShares == 0 ? msg.value : getSharesByPooledEth(msg.value);
        shares[msg.sender] += minted;
        totalShares += minted;
        pooledEther += msg.value;
        emit Submitted(msg.sender, msg.value, referral);
        emit Transfer(address(0), msg.sender, getPooledEthByShares(minted));
        emit TransferShares(address(0), msg.sender, minted);
    }

    receive() external payable {
        submit(address(0));
    }

    /// What the oracle's report does: rewards (or a loss) for all holders at once.
    function report(int256 change) external {
        uint256 before = pooledEther;
        pooledEther = uint256(int256(before) + change);
        emit TokenRebased(block.timestamp, 1 days, totalShares, before, totalShares, pooledEther, 0);
    }

    function totalSupply() external view returns (uint256) {
        return pooledEther;
    }

    function getTotalPooledEther() external view returns (uint256) {
        return pooledEther;
    }

    function getTotalShares() external view returns (uint256) {
        return totalShares;
    }

    function sharesOf(address account) external view returns (uint256) {
        return shares[account];
    }

    function balanceOf(address account) external view returns (uint256) {
        return getPooledEthByShares(shares[account]);
    }

    function getPooledEthByShares(uint256 amount) public view returns (uint256) {
        return totalShares == 0 ? 0 : amount * pooledEther / totalShares;
    }

    function getSharesByPooledEth(uint256 amount) public view returns (uint256) {
        return pooledEther == 0 ? 0 : amount * totalShares / pooledEther;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, getSharesByPooledEth(amount), amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        spend(from, amount);
        move(from, to, getSharesByPooledEth(amount), amount);
        return true;
    }

    function transferShares(address to, uint256 amount) external returns (uint256 value) {
        value = getPooledEthByShares(amount);
        move(msg.sender, to, amount, value);
    }

    function spend(address from, uint256 amount) private {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed == type(uint256).max) return;
        require(allowed >= amount, "ALLOWANCE_EXCEEDED");
        allowance[from][msg.sender] = allowed - amount;
    }

    function move(address from, address to, uint256 amount, uint256 value) private {
        require(to != address(0) && to != address(this), "BAD_RECIPIENT");
        require(shares[from] >= amount, "BALANCE_EXCEEDED");
        shares[from] -= amount;
        shares[to] += amount;
        emit Transfer(from, to, value);
        emit TransferShares(from, to, amount);
    }
}
